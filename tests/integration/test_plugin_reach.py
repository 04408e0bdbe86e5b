"""How far recordings reach in pytest: fixtures too, wherever the test goes, and nothing goes missing without a word."""

from __future__ import annotations

import subprocess
import sys

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

AGENT = """
import json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import pytest, urllib3
from unitai import MockToolkit, cassette as tape

class StandIn(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = {"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
        text = json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [said]})
        kind = "application/json"
        if body.get("stream"):
            chunk = {"id": "1", "object": "chat.completion.chunk", "model": "m",
                     "choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": None}]}
            text, kind = "".join(f"data: {json.dumps(chunk)}\\n\\n" for _ in range(50)) + "data: [DONE]\\n\\n", "text/event-stream"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), StandIn) if __import__("os").environ.get("LIVE") else None
# A recording is found at whatever address it was made.
port = server.server_address[1] if server else 9
if server:
    threading.Thread(target=server.serve_forever, daemon=True).start()

def ask(text, **more):
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    pool = urllib3.PoolManager(retries=False)
    return pool.request("POST", f"http://127.0.0.1:{port}/v1/chat/completions", json=body, preload_content=False)
"""


def run(folder, *args, **environment):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=clean_environment(**environment)
    )


@pytest.fixture
def project(tmp_path):
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return tmp_path


FIXTURES = """
import pytest
from agent import ask

@pytest.fixture(scope="module")
def greeting():
    return ask("of the module").json()["choices"][0]["message"]["content"]

@pytest.fixture
def answer():
    yield ask("of the test").json()["choices"][0]["message"]["content"]
    assert ask("at the end").json()["model"] == "m"

{mark}
def test_both(greeting, answer):
    assert greeting == answer == "Hello"
"""


@pytest.mark.parametrize("mark", ["", "@pytest.mark.unitai_cassette"])
def test_fixtures_are_recorded_and_replayed(project, mark):
    (project / "test_a.py").write_text(FIXTURES.format(mark=mark), encoding="utf-8")
    recorded = run(project, "--unitai-cache=record", LIVE="1")
    assert recorded.returncode == 0, recorded.stdout
    assert len(list((project / ".unitai" / "cache").glob("*.json"))) == 3
    replayed = run(project, "--unitai-cache=replay")
    assert replayed.returncode == 0, replayed.stdout


def test_a_fixture_that_was_never_recorded_does_not_go_out(project):
    (project / "test_a.py").write_text(FIXTURES.format(mark=""), encoding="utf-8")
    done = run(project, "--unitai-cache=replay", LIVE="1")
    assert done.returncode == 1
    assert "CacheMissError" in done.stdout


def test_the_folder_is_the_projects_wherever_the_test_goes(project):
    (project / "test_a.py").write_text(
        "from agent import ask, tape\n"
        "def test_a(tmp_path, monkeypatch):\n"
        "    monkeypatch.chdir(tmp_path)\n"
        "    with tape():\n"
        "        assert ask('Hi').json()\n"
        "    assert list(tmp_path.iterdir()) == []\n",
        encoding="utf-8",
    )
    (project / "deep").mkdir()
    recorded = run(project, LIVE="1")
    assert recorded.returncode == 0, recorded.stdout
    assert len(list((project / ".unitai" / "cache").glob("*.json"))) == 1
    replayed = run(project / "deep", "--rootdir", ".", "../test_a.py", UNITAI_CACHE="replay", PYTHONPATH=str(project))
    assert replayed.returncode == 0, replayed.stdout


def test_what_could_not_be_kept_is_told(project):
    (project / "test_a.py").write_text(
        "from agent import ask\n"
        "def test_a():\n"
        "    response = ask('Hi', stream=True)\n"
        "    response.read(20)\n"
        "    response.close()\n",
        encoding="utf-8",
    )
    done = run(project, "--unitai-cache=record", LIVE="1")
    assert done.returncode == 0, done.stdout
    assert "an answer was not recorded, and a replay will miss it: m: it was not read to its end" in done.stdout
    assert "UnitAI record: model traffic 0 replayed, 0 recorded" in done.stdout


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({"UNITAI_CACHE": "replay"}, ""),
        ({"UNITAI_CACHE_MODE": "replay"}, ""),
        ({}, '[tool.unitai]\ncache_mode = "replay"\n'),
        ({}, '[tool.unitai.cache]\nenabled = true\nmode = "replay"\n'),
    ],
    ids=["UNITAI_CACHE", "UNITAI_CACHE_MODE", "flat key", "table"],
)
def test_whoever_asks_for_a_replay_gets_one(project, environment, text):
    """Also from a folder below the project's file. If nobody heard it, the model would be asked."""
    (project / "pyproject.toml").write_text(text, encoding="utf-8")
    deep = project / "deep"
    deep.mkdir()
    (deep / "pytest.ini").write_text("[pytest]\npythonpath = ..\n", encoding="utf-8")
    (deep / "test_a.py").write_text("from agent import ask\ndef test_a():\n    ask('Hi')\n", encoding="utf-8")
    done = run(deep, LIVE="1", **environment)
    assert done.returncode == 1
    assert "CacheMissError" in done.stdout


def test_enabled_means_auto_and_a_wrong_word_is_named(project):
    (project / "test_a.py").write_text("from agent import ask\ndef test_a():\n    ask('Hi').json()\n", encoding="utf-8")
    assert run(project, LIVE="1", UNITAI_CACHE_ENABLED="true").returncode == 0
    assert run(project, UNITAI_CACHE_ENABLED="true").returncode == 0
    for wrong in (["--unitai-cache=bogus"], []):
        done = run(project, *wrong, **({} if wrong else {"UNITAI_CACHE": "bogus"}))
        assert done.returncode == 4
        assert "one of: off, record, replay, auto" in done.stderr
        assert ("--unitai-cache" in done.stderr) == bool(wrong)
