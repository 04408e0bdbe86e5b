"""The host of plugins speaks MCP: what it answers, and what cannot break it."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.integration

ECHO = """
from unitai.llm import LLMPlugin

class Echo(LLMPlugin):
    name = "echo"
    async def say(self, value=None): return value
"""


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_it_speaks_the_version_that_is_asked_for_if_it_knows_it(host, asked, answered):
    told = host().ask("initialize", protocolVersion=asked, capabilities={})["result"]
    assert told["protocolVersion"] == answered
    assert told["capabilities"] == {"tools": {}}
    assert set(told["serverInfo"]) == {"name", "version"}


def test_tools_are_listed_without_our_own(host):
    running = host(echo=ECHO)
    running.notify("notifications/initialized")
    assert running.ask("ping")["result"] == {}
    (tool,) = running.ask("tools/list")["result"]["tools"]
    assert tool["name"] == "echo_say"
    assert running.call("echo_say", value=5)["_meta"] == {"unitai/value": 5}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("\ud83d".encode("utf-8", "replace").decode(), -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ("5", -32600),
        ('{"id": 1}', -32600),
        ('{"id": [1], "method": "ping"}', -32600),
    ],
)
def test_what_is_no_request_is_refused_and_the_next_is_answered(host, line, code):
    running = host()
    running.write(line)
    assert running.answer(None)["error"]["code"] == code
    assert running.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("method", "params", "code", "told"),
    [
        ("server/discover", {}, -32601, "there is no method server/discover"),
        ("tools/call", {}, -32602, "needs the `name`"),
        ("tools/call", {"name": "echo_say", "arguments": [1]}, -32602, "are a JSON object"),
        ("tools/call", {"name": "echo_sya"}, -32602, "did you mean `echo_say`?"),
    ],
)
def test_requests_that_cannot_be_answered_say_why(host, method, params, code, told):
    error = host(echo=ECHO).ask(method, **params)["error"]
    assert error["code"] == code
    assert told in error["message"]


def test_notifications_and_answers_are_not_answered(host):
    running = host()
    running.notify("notifications/anything", x=1)
    running.notify("notifications/cancelled", requestId="never")
    running.write('{"jsonrpc": "2.0", "id": 7, "result": {}}')
    running.write("")
    running.ask("ping")
    running.end()
    assert len(running.raw) == 1


VALUES = """
import dataclasses, datetime, enum, pathlib
from unitai.llm import LLMPlugin

@dataclasses.dataclass
class Point:
    x: int

class Colour(enum.Enum):
    RED = 1

class Number(enum.IntEnum):
    ONE = 1

class Model:
    def model_dump(self): return {"a": (1,)}

class Silent:
    def __str__(self): raise RuntimeError

LOOP = []
LOOP.append(LOOP)
VALUES = {
    "dict": {"a": 1, 2: None, True: 1.5}, "list": [1, [2]], "text": "hello", "number": 1.5, "none": None, "yes": True,
    "tuple": (1, 2), "set": {3, 1}, "nan": float("nan"), "date": datetime.date(2024, 1, 2), "bytes": b"\\xffok",
    "path": pathlib.PurePosixPath("a/b"), "point": Point(1), "colour": Colour.RED, "enum": Number.ONE, "model": Model(),
    "half": "\\ud800", "silent": Silent(), "huge": 10**400, "empty": {},
}

class It(LLMPlugin):
    name = "it"
    async def give(self, name: str): return VALUES[name]
    async def loop(self): return LOOP
    async def big(self, size: int): return {"text": "x" * size}
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dict", {"a": 1, "2": None, "true": 1.5}),
        ("list", [1, [2]]),
        ("text", "hello"),
        ("number", 1.5),
        ("none", None),
        ("yes", True),
        ("tuple", [1, 2]),
        ("set", [1, 3]),
        ("nan", "nan"),
        ("date", "2024-01-02"),
        ("bytes", "\\xffok"),
        ("path", "a/b"),
        ("point", {"x": 1}),
        ("colour", "Colour.RED"),
        ("enum", 1),
        ("model", {"a": [1]}),
        ("half", "�"),
        ("silent", "<Silent whose str() raised>"),
        ("empty", {}),
    ],
)
def test_a_test_sees_the_value_itself(host, name, value):
    told = host(it=VALUES).call("it_give", name=name)
    assert told["isError"] is False
    (content,) = told["content"]
    assert (content["text"] if isinstance(value, str) else json.loads(content["text"])) == value
    if isinstance(value, dict):
        assert told["structuredContent"] == value
        assert "_meta" not in told
    else:
        assert told["structuredContent"] == {"result": value}
        assert told["_meta"] == {"unitai/value": value}


def test_a_list_that_holds_itself_ends_somewhere(host):
    told = host(it=VALUES).call("it_loop")["_meta"]["unitai/value"]
    assert str(told).count("[") > 90


def test_big_answers_and_big_questions_come_through(host):
    running = host(it=VALUES, echo=ECHO)
    numbers = [running.start_call("it_big", size=1_000_000) for _ in range(5)]
    for number in numbers:
        assert len(running.answer(number)["result"]["structuredContent"]["text"]) == 1_000_000
    assert len(running.call("echo_say", value="y" * 1_000_000)["_meta"]["unitai/value"]) == 1_000_000


LOUD = """
import os, subprocess, sys
from unitai.llm import LLMPlugin
print("at import")
sys.stdout.write("without an end of line")

class Loud(LLMPlugin):
    name = "loud"
    async def speak(self):
        print("from Python")
        os.write(1, b"from below\\n")
        sys.__stdout__.write("from the first stream\\n"); sys.__stdout__.flush()
        subprocess.run("echo from a child", shell=True)
        return {"read": sys.stdin.read(), "child": subprocess.run(["cat"], capture_output=True, text=True).stdout}
    def cleanup(self): print("in cleanup")
"""


def test_what_plugins_print_goes_to_standard_error(host):
    running = host(loud=LOUD)
    assert running.call("loud_speak")["structuredContent"] == {"read": "", "child": ""}
    assert running.end() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in running.raw)
    for said in (
        "at import", "without an end", "from Python", "from below", "first stream", "from a child", "in cleanup",
    ):  # fmt: skip
        assert said in running.errors


def test_it_says_how_it_is_started(tmp_path):
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "unitai.llm.host"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "usage:" in done.stderr
