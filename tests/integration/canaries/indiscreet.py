"""Prints every object and error of UnitAI that was given a secret, and leaves a secret at places nobody thinks of."""

from __future__ import annotations

import contextlib
import os
import urllib.parse
import warnings
from collections.abc import Iterator
from typing import Any

import urllib3

import unitai
from unitai import ReplayCache, cassette, gateway, match, scripted_model
from unitai.faults import error, faults, on_model, on_tool, server_error
from unitai.script import call, say, when

URL = os.environ["MODEL_URL"] + "/chat/completions"


def ask(text: str, key: str = "") -> Any:
    messages = [{"role": "user", "content": text}]
    body = {"model": "gpt-4o", "user": "say nothing", "messages": messages, "stream": False}
    headers = {"authorization": f"Bearer {key}"} if key and "\n" not in key else {}
    return urllib3.PoolManager(retries=False).request("POST", URL, json=body, headers=headers)


def objects(key: str) -> Iterator[Any]:
    folder = f"tapes-{urllib.parse.quote(key.splitlines()[-1], safe='')}"
    yield cassette("auto", folder)
    yield gateway("off", folder, upstreams={"openai": f"https://user:{key.splitlines()[-1]}@api.shop/v1"})
    yield ReplayCache(".unitai/values")
    toolkit = unitai.MockToolkit()
    toolkit.mock("save", return_value=key)
    yield toolkit
    result = toolkit.run(lambda input, tools: tools["save"](key=key), key)
    yield from (result, result.trajectory, *result.trajectory.steps, *toolkit.get_tool("save").calls)
    yield result.tool_called_with("save", key="other")
    yield from (scripted_model([say(key)]), say(key), when(key).then(call("save", key=key)), when(key))
    yield from (match.one_of(key), match.partial({"key": key}), match.ignoring("at")({"key": key}))
    yield faults([on_tool(key).then(error(key)), on_model(key).then(server_error())])
    yield ReplayCache(folder)


def errors(key: str) -> Iterator[Any]:
    """What is raised, with what it was raised from."""
    yield lambda: cassette(key)
    yield lambda: cassette("replay", volatile=[key, 1])
    yield lambda: gateway("off", upstreams={key: 1})
    yield lambda: gateway("off", upstreams={"openai": f"ftp://{key}"}).__enter__()
    yield lambda: ReplayCache(key, ttl_hours=key)
    yield lambda: ReplayCache(".unitai/values").put(key, object())

    def miss() -> None:
        with cassette("replay", ".unitai/none", scope=key):
            ask(f"never recorded: {key}", key)

    def full() -> None:
        with cassette("record", f"/proc/{urllib.parse.quote(key, safe='')}"):
            ask(f"nowhere to write: {key}", key)

    yield miss
    yield full


if __name__ == "__main__":
    warnings.simplefilter("always")
    for name in os.environ["NAMES"].split():
        key = os.environ[name]
        os.environ["PYTEST_CURRENT_TEST"] = f"test_a.py::test_b[{key}] (call)"
        for thing in objects(key):
            print(name, repr(thing), str(thing))
        for action in errors(key):
            try:
                action()
            except Exception as raised:
                chain: BaseException | None = raised
                while chain is not None:
                    print(name, type(chain).__name__, chain, repr(chain), getattr(chain, "__dict__", None))
                    chain = chain.__cause__
        with cassette("record"):
            print(ask(f"the test's own id holds it: {key}").status)
        values = ReplayCache(".unitai/values")
        with contextlib.suppress(unitai.UnitAIError):
            values.put("a" * 64, {"choices": [{"message": {"content": key}}]})
        print(values.get("a" * 64))
