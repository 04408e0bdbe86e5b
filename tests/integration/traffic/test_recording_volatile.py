"""What differs each time and means nothing: an agent whose tools tell times, ids and temporary files."""

from __future__ import annotations

import datetime
import json
import tempfile
import uuid

import pytest
from loopback import Answered, Server
from provider_bodies import as_provider
from wire import CHAT, post

from unitai import CacheMissError, MockToolkit, cassette

pytestmark = pytest.mark.integration

VOLATILE = ("time", "uuid", "temp_path")


def clock():
    return (
        f"It is {datetime.datetime.now(datetime.timezone.utc).isoformat()} by UTC and {datetime.datetime.now()} here."
    )


def new_id():
    # The same id twice is one id, and many an id has a word before it.
    fresh = uuid.uuid4()
    return json.dumps({"id": str(fresh), "run": f"run_{fresh}", "other": str(uuid.uuid4())})


def scratch():
    with tempfile.NamedTemporaryFile(prefix=f"job-{uuid.uuid4()}-") as file:
        return f"Wrote 3 lines to {file.name}."


TOOLS = {"clock": clock, "new_id": new_id, "scratch": scratch}


def agent_of(url, tools, last="And now?"):
    """Asks, calls each tool that the model names, tells what it gave, and asks again: five turns."""

    def agent(input, _):
        messages = [{"role": "user", "content": input}]
        said = []
        for name in tools:
            answer = post(url + CHAT, {"model": "gpt-4o-mini", "messages": messages})
            said.append(answer.json()["choices"][0]["message"]["content"])
            messages.append({"role": "assistant", "content": said[-1]})
            messages.append({"role": "user", "content": f"{name}: {TOOLS[name]()}"})
        messages.append({"role": "user", "content": last})
        answer = post(url + CHAT, {"model": "gpt-4o-mini", "messages": messages})
        return [*said, answer.json()["choices"][0]["message"]["content"]]

    return agent


ORDER = ("clock", "new_id", "scratch", "clock")


def record(folder, volatile, tools=ORDER):
    with Server() as server:
        server.respond = lambda asked: Answered(
            **as_provider(asked.path, asked.body, text=f"turn {len(server.requests)}")
        )
        with cassette("record", folder, volatile=volatile) as tape:
            result = MockToolkit().run(agent_of(server.url, tools), "Go")
        assert tape.recorded == len(server.requests) == len(tools) + 1
        return server.url, result


@pytest.mark.parametrize("declared", [VOLATILE, VOLATILE[::-1]], ids=["in one order", "in the other"])
def test_an_agent_with_a_clock_ids_and_temporary_files_replays(declared, tmp_path):
    url, recorded = record(tmp_path, VOLATILE)
    for _ in range(3):
        with cassette("replay", tmp_path, volatile=declared) as tape:
            assert MockToolkit().run(agent_of(url, ORDER), "Go").output == recorded.output
        assert tape.replayed == 5
    # It is to be seen what was made equal.
    normalised = [json.loads(file.read_text())["entry"].get("normalised", []) for file in tmp_path.glob("*.json")]
    assert any("messages.2.content: time" in places for places in normalised)
    assert any("messages.4.content: uuid" in places for places in normalised)
    assert any("messages.6.content: temp_path" in places for places in normalised)


def test_what_is_not_volatile_still_matters(tmp_path):
    url, _ = record(tmp_path, VOLATILE)
    with (
        pytest.raises(CacheMissError, match=r"\[-now-\]\{\+later\+\}"),
        cassette("replay", tmp_path, volatile=VOLATILE),
    ):
        MockToolkit().run(agent_of(url, ORDER, last="And later?"), "Go")


@pytest.mark.parametrize(
    ("tools", "hint"),
    [
        (("clock",), '["time"]'),
        (("new_id",), '["uuid"]'),
        (("scratch",), '["temp_path"]'),
        (ORDER, '["temp_path", "time", "uuid"]'),
    ],
    ids=["clock", "ids", "files", "all"],
)
def test_without_the_declaration_it_is_a_miss_that_hints_at_it(tools, hint, tmp_path):
    # All results stand in the second request, so that one miss tells of all.
    def agent(input, _):
        post(url + CHAT, {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": input}]})
        results = [{"role": "user", "content": f"{name}: {TOOLS[name]()}"} for name in tools]
        return post(url + CHAT, {"model": "gpt-4o-mini", "messages": results}).status

    with Server() as server:
        url = server.url
        with cassette("record", tmp_path):
            MockToolkit().run(agent, "Go")
    with pytest.raises(CacheMissError) as caught, cassette("replay", tmp_path):
        MockToolkit().run(agent, "Go")
    assert f"volatile={hint}" in str(caught.value), str(caught.value)


def test_a_field_can_be_declared(tmp_path):
    def ask(url, request):
        body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"request": request}}
        return post(url + CHAT, body).status

    with Server() as server:
        with cassette("record", tmp_path, volatile=["metadata.request"]):
            ask(server.url, "first")
    with cassette("replay", tmp_path, volatile=["metadata.request"]):
        assert ask(server.url, "second") == 200
