"""`unitai test` and `unitai cache`: record a suite, replay it, look at the recordings, delete them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"

SUITE = """
import os
import urllib3
from unitai import MockToolkit

def ask(text):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    response = urllib3.PoolManager(retries=False).request("POST", os.environ["MODEL_URL"], json=body)
    assert response.status == 200, response.data
    return response.json()["choices"][0]["message"]["content"]

def test_in_a_run():
    result = MockToolkit(prices={"gpt-4o": {"input": 100.0, "output": 100.0}}).run_generic(lambda: ask("Hi"))
    assert result.output == "Hello"
    assert result.total_cost == 0.002

def test_outside_of_a_run():
    assert ask(os.environ.get("QUESTION", "Hi there")) == "Hello"
"""

ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4o",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
}


@pytest.fixture
def provider():
    """A stand-in for the provider; gives its address and the requests that came."""
    came = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            came.append(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions", came
    server.shutdown()
    server.server_close()


def unitai(folder: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *args], capture_output=True, text=True, check=False, cwd=folder, env=clean_environment(**environment)
    )


@pytest.fixture
def project(tmp_path):
    (tmp_path / "test_agent.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


def test_a_suite_is_recorded_and_replayed(project, provider):
    url, came = provider
    recorded = unitai(project, "test", "--record", MODEL_URL=url)
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    assert len(came) == 2
    files = list((project / ".unitai" / "cache").glob("*.json"))
    assert len(files) == 2

    replayed = unitai(project, "test", "--replay", MODEL_URL=url)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "2 passed" in replayed.stdout
    assert len(came) == 2

    stats = unitai(project, "cache", "stats")
    assert stats.returncode == 0
    assert "recordings  2 (" in stats.stdout
    assert "2 of 2 requests (100.0%)" in stats.stdout
    assert "saved       $0.002," in stats.stdout

    changed = unitai(project, "test", "--replay", "--keep-going", MODEL_URL=url, QUESTION="Hi here")
    assert changed.returncode == 1
    assert "Hi [-there-]{+here+}" in changed.stdout
    assert "1 failed, 1 passed" in changed.stdout
    assert len(came) == 2

    auto = unitai(project, "test", "--auto", MODEL_URL=url, QUESTION="Hi here")
    assert auto.returncode == 0, auto.stdout
    assert len(came) == 3

    live = unitai(project, "test", "--no-cache", MODEL_URL=url)
    assert live.returncode == 0
    assert len(came) == 5

    cleared = unitai(project, "cache", "clear")
    assert cleared.stdout == f"3 recordings deleted from {Path('.unitai/cache')}\n"
    assert list((project / ".unitai" / "cache").glob("*.json")) == []


SECRET = "Zk3vQ8xWn2LmR7tYbV5k"

TOLD = """
from test_agent import ask

def test_a(): ask("first")
def test_b(): ask("second")
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_a_run_that_redacted_answers_says_so_once_and_show_says_where(project, provider, monkeypatch, workers):
    if workers:
        pytest.importorskip("xdist")
    url, _ = provider
    monkeypatch.setitem(ANSWER["choices"][0]["message"], "content", f"your key is {SECRET}, Hello")
    (project / "test_told.py").write_text(TOLD, encoding="utf-8")
    options = ("test_told.py", "--keep-going", *workers)
    recorded = unitai(project, "test", "--record", *options, MODEL_URL=url, SHOP_TOKEN=SECRET)
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    assert recorded.stdout.count("2 recordings hold redacted answers") == 1
    replayed = unitai(project, "test", "--replay", *options, MODEL_URL=url, SHOP_TOKEN=SECRET)
    assert replayed.returncode == 0, replayed.stdout
    assert "redacted" not in replayed.stdout

    listed = unitai(project, "cache", "show")
    lines = listed.stdout.splitlines()
    assert (listed.returncode, len(lines)) == (0, 3)
    assert all(line.endswith("gpt-4o (openai_chat), 1 answer, redacted") for line in lines[1:])
    key = lines[1].split()[0]
    shown = unitai(project, "cache", "show", key)
    assert shown.returncode == 0
    assert "request redacted: nowhere" in shown.stdout
    assert "answer redacted: /choices/0/message/content" in shown.stdout
    assert "your key is [redacted], Hello" in shown.stdout
    assert '"content": "first"' in shown.stdout or '"content": "second"' in shown.stdout
    assert "of test_told.py::test_" in shown.stdout
    for wrong, words in [("ffff", "no recording"), ("", "more than one key")]:
        refused = unitai(project, "cache", "show", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert words in refused.stderr
    assert SECRET not in shown.stdout + listed.stdout


def test_what_a_test_does_not_use_any_more_is_listed_and_deleted(project, provider):
    url, came = provider
    for question in ("Hi there", "Good day"):
        assert unitai(project, "test", "--record", MODEL_URL=url, QUESTION=question).returncode == 0
    assert len(came) == 4
    looked = unitai(project, "cache", "prune", "--unused", "--dry-run")
    assert looked.returncode == 0
    assert "of test_agent.py::test_outside_of_a_run" in looked.stdout
    assert looked.stdout.endswith("the unused answers of 1 recording would be deleted from .unitai/cache\n")
    assert len(list((project / ".unitai" / "cache").glob("*.json"))) == 3
    pruned = unitai(project, "cache", "prune", "--unused")
    assert pruned.stdout.endswith("the unused answers of 1 recording deleted from .unitai/cache\n")
    assert len(list((project / ".unitai" / "cache").glob("*.json"))) == 2
    assert unitai(project, "test", "--replay", MODEL_URL=url, QUESTION="Good day").returncode == 0
    assert unitai(project, "cache", "prune", "--unused", "--ttl-hours", "3").returncode == 2
    # A test that fails while it is recorded says nothing about what it uses.
    (project / "test_agent.py").write_text(SUITE.replace('"Hello"', '"Bye"'), encoding="utf-8")
    assert unitai(project, "test", "--record", "--keep-going", MODEL_URL=url, QUESTION="Good night").returncode == 1
    assert "unused answers of 0 recordings" in unitai(project, "cache", "prune", "--unused").stdout


ASKING = """
import json, os
import urllib3

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    with urllib3.PoolManager(retries=False) as pool:
        pool.request("POST", os.environ["MODEL_URL"], json=body).json()

"""


def test_what_renamed_deleted_and_silent_tests_recorded_is_unused(project, provider):
    url, _ = provider
    for file in project.glob("test_*.py"):
        file.unlink()

    def write(name, **tests):
        lines = [f"def test_{test}(): {f'ask({text!r})' if text else 'pass'}" for test, text in tests.items()]
        (project / name).write_text(ASKING + "\n".join(lines) + "\n", encoding="utf-8")

    def unused(*args):
        assert unitai(project, "test", *args, MODEL_URL=url).returncode == 0
        listed = unitai(project, "cache", "prune", "--unused", "--dry-run").stdout
        return sorted(line.rpartition(", of ")[2].partition(";")[0] for line in listed.splitlines()[:-1])

    write("test_x.py", stays="1", renamed="2", silent="3", other="4")
    write("test_y.py", deleted="5")
    assert unused("--record") == []
    write("test_x.py", stays="1", anew="2", silent="", other="4")
    # What was not collected may be there: one test by its name, those that failed last, another file.
    assert unused("--record", "test_x.py::test_stays") == []
    assert unused("--record", "test_y.py") == []
    # What was collected and not chosen is there.
    assert unused("--record", "test_x.py", "-k", "stays") == ["test_x.py::test_renamed"]
    (project / "test_y.py").unlink()
    gone = ["test_x.py::test_renamed", "test_x.py::test_silent", "test_y.py::test_deleted"]
    assert unused("--record") == gone
    # Which one is back is in use.
    write("test_y.py", deleted="5")
    assert unused("--replay", "test_y.py") == gone[:2]
    assert "unused answers of 2 recordings deleted" in unitai(project, "cache", "prune", "--unused").stdout
    write("test_x.py", stays="1", anew="2", other="4")
    assert unitai(project, "test", "--replay", MODEL_URL=url).returncode == 0


def test_what_is_private_is_not_committed_though_nobody_ran_init(project, provider):
    git = ["git", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "--quiet"], cwd=project, check=True)
    assert unitai(project, "test", "--record", MODEL_URL=provider[0]).returncode == 0
    seen = subprocess.run(
        [*git, "status", "--porcelain", "--untracked-files=all"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".unitai" not in seen.stdout


def test_the_projects_file_can_say_it(project, provider):
    url, came = provider
    (project / "pyproject.toml").write_text(
        '[tool.unitai.cache]\nenabled = true\ndirectory = "tapes"\nttl_hours = 0\n', encoding="utf-8"
    )
    for _ in range(2):
        done = unitai(project, "test", MODEL_URL=url)
        assert done.returncode == 0, done.stdout
    assert len(came) == 2
    assert len(list((project / "tapes").glob("*.json"))) == 2
    assert "tapes\n" in unitai(project, "cache", "stats").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[cache]\nenabeld = true\n", ["unitai.toml:2", "`enabeld`", "perhaps `enabled`"]),
        ("[cache]\nttl_hours = 'a week'\n", ["unitai.toml:2", "a text", "a number of hours"]),
        ("[cache\n", ["unitai.toml:1"]),
    ],
)
def test_what_is_wrong_in_it_is_named(project, text, said):
    (project / "unitai.toml").write_text(text, encoding="utf-8")
    for command in (("test",), ("cache", "stats")):
        done = unitai(project, *command)
        assert done.returncode in (2, 4)
        assert all(words in done.stdout + done.stderr for words in said), done.stdout + done.stderr


def test_flags_go_on_to_pytest_and_its_exit_code_comes_back(project):
    listed = unitai(project, "test", "--collect-only", "-k", "outside")
    assert listed.returncode == 0, listed.stderr
    assert "1/2 tests collected" in listed.stdout
    assert unitai(project, "test", "-k", "nothing_of_this_name").returncode == 5
    assert unitai(project, "test", "--record", "--replay").returncode == 2


SCRIPT = """
import sys
sys.path.insert(0, ".")
from test_agent import ask
from unitai import AgentTestCase, MockToolkit

class Test(AgentTestCase):
    def test_agent(self):
        for _ in range(2):
            result = self.toolkit.run_generic(lambda: ask("Hi"))
            self.assertEqual(result.output, "Hello")
            print(result.trajectory.steps[0].source)
"""


def test_without_pytest_the_environment_and_the_projects_file_hold_too(project, provider):
    url, came = provider
    (project / "test_unit.py").write_text(SCRIPT, encoding="utf-8")

    def unittest(**environment):
        command = [sys.executable, "-m", "unittest", "test_unit"]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=project,
            env=clean_environment(MODEL_URL=url, **environment),
        )

    recorded = unittest(UNITAI_CACHE="record")
    assert recorded.returncode == 0, recorded.stderr
    assert (recorded.stdout.split(), len(came)) == (["live", "live"], 2)
    replayed = unittest(UNITAI_CACHE="replay")
    assert replayed.returncode == 0, replayed.stderr
    assert (replayed.stdout.split(), len(came)) == (["replay", "replay"], 2)
    assert unittest().stdout.split() == ["live", "live"]
    (project / "unitai.toml").write_text('[cache]\nmode = "replay"\n', encoding="utf-8")
    assert unittest().stdout.split() == ["replay", "replay"]
    (project / ".unitai" / "cache").rename(project / "elsewhere")
    missed = unittest()
    assert missed.returncode == 1
    assert "CacheMissError" in missed.stderr
    assert len(came) == 4
