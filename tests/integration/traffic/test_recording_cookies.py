"""A provider that sets a cookie and names the session in its answer: the session is in no file, and both calls replay."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from loopback import Answered, Server
from provider_bodies import as_provider

pytestmark = pytest.mark.integration

SESSION = "Qw9eRt5yUi3oP1aS"

#: Asks twice with a cookie jar of one cookie, and tells the model in the second request what it said to the first.
AGENT = """
import json, sys
import urllib3
from unitai import cassette

url, mode, folder, text = sys.argv[1:]
messages, headers = [{"role": "user", "content": text}], {}
with cassette(mode, folder, scope="x") as tape, urllib3.PoolManager(retries=False) as pool:
    for _ in range(2):
        asked = {"model": "gpt-4o-mini", "messages": messages}
        answer = pool.request("POST", f"{url}/v1/chat/completions", json=asked, headers=headers)
        cookie = answer.headers.get("set-cookie")
        headers = {"cookie": cookie.partition(";")[0]} if cookie else {}
        messages = [*messages, answer.json()["choices"][0]["message"], {"role": "user", "content": "go on"}]
print(json.dumps([tape.recorded, tape.replayed, messages[-2]["content"]]))
"""


def run(url, mode, folder, text):
    done = subprocess.run(
        [sys.executable, "-c", AGENT, url, mode, str(folder), text],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("cookie", "text", "said"),
    [
        (f"sid={SESSION}", "start", "session [redacted]"),
        (f'sid="{SESSION}"', "start", "session [redacted]"),
        # Words are no secrets, and stay.
        ("theme=dark-mode", "start", "session dark-mode"),
        ("region=us-central1-a", "start in us-central1-a", "session us-central1-a"),
    ],
)
def test_two_calls_replay_in_another_process_where_the_answer_names_the_cookie(cookie, text, said, tmp_path):
    value = cookie.partition("=")[2].strip('"')

    def respond(asked):
        answer = as_provider(asked.path, asked.body, text=f"session {value}")
        return Answered(**{**answer, "headers": {"set-cookie": f"{cookie}; path=/; HttpOnly"}})

    with Server() as server:
        server.respond = respond
        assert run(server.url, "record", tmp_path, text) == [2, 0, f"session {value}"]
        url = server.url
    assert (SESSION in "".join(path.read_text() for path in tmp_path.glob("*.json"))) is False
    assert run(url, "replay", tmp_path, text) == [0, 2, said]
