"""Recordings in a real pytest: the fixture, the marker, the option, the project's file, xdist, asyncio, and odd test ids."""

from __future__ import annotations

import json
import os
import re

import companion_plugins
import pytest
from loopback import Answered, Server
from projects import WITHOUT_OTHERS
from provider_bodies import as_provider
from wire import ask

from unitai import cassette

pytestmark = pytest.mark.integration

MODEL = """
import os, urllib3, pytest
from unitai import MockToolkit, cassette as recordings

URL = os.environ["MODEL_URL"] + "/v1/chat/completions"

def ask(text="Hi"):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    answer = urllib3.PoolManager(retries=False).request("POST", URL, json=body)
    assert answer.status == 200, answer.data
    return answer.json()["choices"][0]["message"]["content"]
"""


class Project:
    """A project with tests, and a model that can be stopped."""

    def __init__(self, pytester, server):
        self.pytester = pytester
        self.server = server
        self.cache = pytester.path / ".unitai" / "cache"

    def write(self, tests, **files):
        self.pytester.makepyfile(test_it=MODEL + tests)
        for name, text in files.items():
            (self.pytester.path / name.replace("_toml", ".toml")).write_text(text)

    def run(self, *args):
        return self.pytester.runpytest_subprocess("-p", "no:cacheprovider", *WITHOUT_OTHERS, *args)

    @property
    def asked(self):
        return len(self.server.requests)

    def files(self):
        """All files, also above the project, but those of pytest itself."""
        above = self.pytester.path.parent
        paths = {path.relative_to(above) for path in above.rglob("*")}
        its_own = re.compile(r"__pycache__|/(stdout|stderr)$|/runpytest-")
        return {above / path for path in paths if not its_own.search(path.as_posix())}

    def scopes(self):
        entries = [json.loads(file.read_text())["entry"] for file in self.cache.glob("*.json")]
        return [slot["scope"] for entry in entries for slot in entry["slots"]]


@pytest.fixture
def project(pytester, monkeypatch):
    for name in ("CI", "UNITAI_CACHE", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    with Server() as server:
        server.respond = lambda asked: Answered(
            **as_provider(asked.path, asked.body, text=f"answer {len(server.requests)}")
        )
        monkeypatch.setenv("MODEL_URL", server.url)
        yield Project(pytester, server)


TWO = """
def test_one(cassette, mock_toolkit):
    assert mock_toolkit.run_generic(lambda: ask()).output.startswith("answer")
    assert cassette.recorded + cassette.replayed == 1

def test_two(cassette):
    assert ask("Hello").startswith("answer")
"""


def test_the_fixture_records_at_first_and_replays_ever_after(project):
    project.write(TWO)
    project.run().assert_outcomes(passed=2)
    assert project.asked == 2
    assert sorted(project.scopes()) == ["test_it.py::test_one", "test_it.py::test_two"]
    for _ in range(2):
        project.run().assert_outcomes(passed=2)
    assert project.asked == 2


def test_where_nobody_looks_on_a_request_that_was_not_recorded_fails(project, monkeypatch):
    project.write(TWO)
    monkeypatch.setenv("CI", "true")
    done = project.run()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*CacheMissError*", "*no recordings at all*"])
    assert project.asked == 0
    monkeypatch.delenv("CI")
    project.run().assert_outcomes(passed=2)
    monkeypatch.setenv("CI", "true")
    project.run().assert_outcomes(passed=2)
    assert project.asked == 2


@pytest.mark.parametrize(
    "tests",
    [
        "@pytest.mark.unitai_cassette\ndef test_one():\n    assert ask() == 'answer 1'\n",
        "@pytest.mark.unitai_cassette\nclass TestIt:\n    def test_one(self):\n        assert ask() == 'answer 1'\n",
        "pytestmark = pytest.mark.unitai_cassette\ndef test_one():\n    assert ask() == 'answer 1'\n",
    ],
    ids=["function", "class", "module"],
)
def test_the_marker_stands_wherever_markers_stand(project, tests):
    project.write(tests)
    for _ in range(2):
        project.run("--strict-markers").assert_outcomes(passed=1)
    assert project.asked == 1


def test_the_nearest_marker_has_the_last_word(project):
    project.write("""
pytestmark = pytest.mark.unitai_cassette("replay", "elsewhere")

@pytest.mark.unitai_cassette(mode="record")
def test_one(cassette):
    assert cassette.mode == "record" and cassette.directory == "elsewhere"
    assert ask().startswith("answer")

@pytest.mark.unitai_cassette("off")
def test_two():
    assert ask().startswith("answer")
""")
    for _ in range(2):
        project.run().assert_outcomes(passed=2)
    assert project.asked == 4
    assert len(list((project.pytester.path / "elsewhere").glob("*.json"))) == 1


PLAIN = """
def test_one():
    assert ask() == "answer 1"
"""


def test_the_option_is_for_every_test(project):
    project.write(PLAIN)
    project.run("--unitai-cache=record").assert_outcomes(passed=1)
    project.run("--unitai-cache=replay").assert_outcomes(passed=1)
    project.run("--unitai-cache=auto").assert_outcomes(passed=1)
    assert project.asked == 1
    # Recorded anew: another answer.
    project.run("--unitai-cache=record").assert_outcomes(failed=1)
    project.run("--unitai-cache=off").assert_outcomes(failed=1)
    project.run().assert_outcomes(failed=1)
    assert project.asked == 4
    done = project.run("--unitai-cache=sometimes")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*sometimes*"])


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_the_variable_is_for_every_test(project, monkeypatch, mode):
    project.write(PLAIN)
    monkeypatch.setenv("UNITAI_CACHE", mode)
    project.run().assert_outcomes(passed=1)
    monkeypatch.setenv("UNITAI_CACHE", "replay")
    project.run().assert_outcomes(passed=1)
    # The command line is nearer.
    project.run("--unitai-cache=off").assert_outcomes(failed=1)
    assert project.asked == 2


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject_toml": '[tool.unitai.cache]\nmode = "auto"\ndirectory = "recorded"\n'},
        {"unitai_toml": '[cache]\nmode = "auto"\ndirectory = "recorded"\n'},
    ],
    ids=["pyproject.toml", "unitai.toml"],
)
def test_the_projects_file_is_for_every_test(project, files):
    project.write(PLAIN, **files)
    for _ in range(2):
        project.run().assert_outcomes(passed=1)
    assert project.asked == 1
    assert len(list((project.pytester.path / "recorded").glob("*.json"))) == 1
    project.run("--unitai-cache=off").assert_outcomes(failed=1)


def test_a_miss_fails_the_test_itself_and_shows_what_changed(project):
    project.write("""
def test_one(cassette):
    ask(os.environ.get("QUESTION", "Refund order 123 at once, please"))

def test_two():
    assert True
""")
    project.run().assert_outcomes(passed=2)
    os.environ["QUESTION"] = "Refund order 124 at once, please"
    try:
        for args in (["--unitai-cache=replay"], ["--unitai-cache=replay", "-n", "2"]):
            done = project.run(*args)
            done.assert_outcomes(failed=1, passed=1)
            assert "Refund order [-123-]{+124+} at once, please" in done.stdout.str()
    finally:
        del os.environ["QUESTION"]
    assert project.asked == 1


def test_a_miss_that_the_agent_swallows_fails_the_test_nevertheless(project):
    project.write("""
def quiet():
    try:
        ask()
    except Exception:
        return "never mind"

def test_fixture(cassette):
    quiet()

@pytest.mark.unitai_cassette
def test_marker():
    quiet()

def test_every():
    quiet()
""")
    done = project.run("--unitai-cache=replay")
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(["*CacheMissError*"])


MANY = """
@pytest.mark.parametrize("n", range(12))
def test_own(n, cassette):
    assert ask(f"number {n}").startswith("answer")

@pytest.mark.parametrize("n", range(12))
def test_shared(n, cassette):
    # All ask the same, each in a scope of its own.
    with open(f"said-{n}-{cassette.mode}-{os.environ['ROUND']}", "w") as file:
        file.write(" ".join(ask("the same") for _ in range(2)))
"""


def test_workers_record_and_replay_as_one(project, monkeypatch):
    project.write(MANY)

    def said(at):
        return {path.name.split("-")[1]: path.read_text() for path in project.pytester.path.glob(f"said-*-{at}")}

    monkeypatch.setenv("ROUND", "1")
    project.run("-n", "2", "--unitai-cache=record").assert_outcomes(passed=24)
    assert project.asked == 12 + 24 == len(project.scopes())
    monkeypatch.setenv("ROUND", "2")
    project.run("-n", "2", "--unitai-cache=replay").assert_outcomes(passed=24)
    monkeypatch.setenv("ROUND", "3")
    project.run("--unitai-cache=replay", "-p", "no:randomly").assert_outcomes(passed=24)
    assert project.asked == 36
    # Each test has its own answers, whoever runs it.
    assert len(set(said("1").values())) == 12
    assert said("1") == said("2") == said("3")


def test_with_sockets_blocked_a_replay_works(project):
    project.write("""
def test_one(cassette, block_network):
    assert ask() == "answer 1"

def test_two(block_network):
    with recordings("replay", block_network=True, scope="test_it.py::test_one"):
        assert ask() == "answer 1"
""")
    # Loopback is not outside: it may be recorded from.
    project.run("-k", "test_one").assert_outcomes(passed=1)
    assert project.asked == 1
    project.server.respond = lambda asked: Answered(b"", status=500)
    project.run("--unitai-cache=replay").assert_outcomes(passed=2)
    assert project.asked == 1


def test_async_tests_of_pytest_asyncio(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", companion_plugins.installed())
    project.write("""
import asyncio

@pytest.mark.asyncio
async def test_one(cassette):
    assert await asyncio.to_thread(ask) == "answer 1"

@pytest.mark.asyncio
@pytest.mark.unitai_cassette
async def test_two(mock_toolkit):
    async def agent(input, tools):
        return [ask("two"), await asyncio.to_thread(ask, "three")]
    result = await mock_toolkit.arun(agent, "x")
    assert result.output == ["answer 2", "answer 3"]

@pytest.mark.asyncio
async def test_three():
    async with recordings(scope="three"):
        assert await asyncio.to_thread(ask, "four") == "answer 4"
""")
    options = ("-o", "asyncio_default_fixture_loop_scope=function", "-p", "no:randomly")
    for _ in range(2):
        project.run(*options).assert_outcomes(passed=3)
    assert project.asked == 4
    project.run("--unitai-cache=replay", *options).assert_outcomes(passed=3)
    assert project.asked == 4


ODD = """
IDS = [
    "x" * 5000, "../../outside", "/etc/passwd", "..", ".", "CON", "con", "NUL.txt", "a/b\\\\c", "C:\\\\x", "case", "CASE", "Case",
    "\\N{PILE OF POO}", "\\N{WOMAN}\\N{ZERO WIDTH JOINER}\\N{PERSONAL COMPUTER}", "e\\u0301", "\\u00e9", "nul\\x00byte", "new\\nline",
    "\\x1b[31mred", "\\u202eright to left", "trailing. ", " ", "-", "::", "[]", "(call)", "a (call) b", "sk-odd", "\\udc80", "\\\\x00", "%2e%2e%2f",
    "*?<>|", "$(touch outside)", "{key}",
]

@pytest.mark.parametrize("name", IDS, ids=IDS)
def test_odd(name, cassette):
    assert ask("the same of all").startswith("answer")
    with recordings():
        # In the scope that pytest names.
        assert ask("another").startswith("answer")

@pytest.mark.unitai_cassette
@pytest.mark.parametrize("name", IDS, ids=IDS)
def test_marked(name):
    assert ask("the same of all").startswith("answer")
"""


@pytest.mark.parametrize("escaping", [True, False], ids=["escaped", "as they are"])
def test_any_test_id_records_and_replays_and_nothing_is_written_elsewhere(project, escaping):
    tests = ODD if escaping else ODD.replace('"nul\\x00byte", ', "").replace('"\\udc80", ', "")
    project.write(tests)
    option = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
    args = () if escaping else ("-o", f"{option}=true")
    before = project.files()
    done = project.run("-q", "--unitai-cache=record", *args)
    outcomes = done.parseoutcomes()
    assert set(outcomes) == {"passed"}, done.stdout.str()[-3000:]
    assert outcomes["passed"] >= 60
    asked = project.asked
    assert len(project.scopes()) == len(set(zip(project.scopes(), range(asked), strict=True))) == asked
    # One scope for each test, however alike their ids are.
    assert len({scope for scope in project.scopes() if "test_odd" in scope}) == outcomes["passed"] // 2
    done = project.run("-q", "--unitai-cache=replay", *args)
    assert done.parseoutcomes() == outcomes, done.stdout.str()[-3000:]
    assert project.asked == asked
    assert {path.relative_to(project.pytester.path).parts[:2] for path in project.files() - before} == {
        (".unitai",),
        (".unitai", ".gitignore"),
        (".unitai", "cache"),
    }
    assert sorted(path.name for path in project.cache.iterdir() if path.is_dir()) == []


@pytest.mark.parametrize(
    "scope", ["\udc80", "half \ud83d", "nul\x00byte", "", "x" * 100_000], ids=lambda scope: ascii(scope[:20])
)
def test_a_scope_may_be_any_text(scope, server, tmp_path):
    with cassette("record", tmp_path, scope=scope):
        ask(server)
    with cassette("replay", tmp_path, scope=scope):
        assert ask(server) == "Hello world"
