"""Repeated tests in a real pytest: the decorator, the marker, fixtures, async tests, and what is shown."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from projects import WITHOUT_OTHERS

pytestmark = pytest.mark.integration

AGENT = """
import asyncio, itertools, pytest, threading
from unitai import statistical
from unitai.script import call, say

turns = itertools.count()

def agent(input, tools):
    # Every third time it forgets to look the order up.
    if next(turns) % 3 != 2:
        tools["lookup_order"](order_id=input)
    tools["process_refund"](order_id=input)

def refund(toolkit):
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    toolkit.mock("process_refund", return_value=True)
    result = toolkit.run(agent, "123")
    assert result.tool_called_before("lookup_order", "process_refund")
"""


@pytest.fixture
def project(pytester):
    def run(tests, *args, **files):
        pytester.makepyfile(test_it=AGENT + tests)
        for name, text in files.items():
            (pytester.path / name).write_text(text)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *WITHOUT_OTHERS, *args)

    return run


@pytest.mark.parametrize(
    "head", ["@statistical(n=9, threshold=0.6)", "@pytest.mark.unitai_statistical(n=9, threshold=0.6)"]
)
def test_a_test_passes_if_enough_of_its_runs_do(project, head):
    result = project(f"{head}\ndef test_it(mock_toolkit):\n    refund(mock_toolkit)\n")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "head", ["@statistical(n=9, threshold=0.9)", "@pytest.mark.unitai_statistical(n=9, threshold=0.9, mode='early')"]
)
def test_a_test_that_fails_shows_its_modes_and_one_run(project, head):
    result = project(f"{head}\ndef test_it(mock_toolkit):\n    refund(mock_toolkit)\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_it (statistical) _*",
            "*runs passed*90.0% required (statistical)",
            "  Pass rate: * — required: 90.0%",
            "  Failure modes:",
            "    *x — expected lookup_order before process_refund, but lookup_order was never called*",
            "         at tool call 1 failed runs called process_refund, passed runs called lookup_order (p = *)",
            "  Cost: $0.00 total across * runs",
            '  Assertion: tool_called_before("lookup_order", "process_refund")',
            "FAILED test_it.py::test_it - *PassRateError*",
        ]
    )
    # Where in our own code it was raised says nothing.
    assert "trials.py" not in result.stdout.str()


def test_pytest_rewrites_the_assertions_of_each_run(project):
    result = project(
        """
@statistical(n=4, threshold=1.0, mode="all")
def test_it():
    order = {"paid": True}
    assert order["paid"] is False
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*4x — assert True is False", "*assert order*paid*is False", "*AssertionError: assert True is False"]
    )


def test_the_toolkit_is_each_runs_own_and_other_fixtures_are_shared(project):
    result = project(
        """
made = []

@pytest.fixture
def database():
    made.append(1)
    yield {"made": len(made)}

@pytest.fixture
def tools(mock_toolkit):
    mock_toolkit.mock("next_page", sequence=["first"])
    return mock_toolkit

seen = []

@pytest.mark.unitai_statistical(n=6, threshold=1.0)
def test_it(tools, mock_toolkit, database, request):
    seen.append(mock_toolkit)
    assert database == {"made": 1}
    assert tools.run(lambda input, tools: tools["next_page"](), "go").output == "first"
    assert request.node.name == "test_it"

def test_after():
    assert len({id(each) for each in seen}) == 6
"""
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("mark", ["", "@pytest.mark.asyncio\n", "@pytest.mark.anyio\n"])
@pytest.mark.parametrize(
    "head", ["@statistical(n=6, threshold=0.9)", "@pytest.mark.unitai_statistical(n=6, threshold=0.9)"]
)
def test_async_tests_simply_work(project, head, mark):
    result = project(
        f"""
loops = []
{mark}{head}
async def test_it(mock_toolkit):
    await asyncio.sleep(0.001)
    loops.append(asyncio.get_running_loop())
    result = await mock_toolkit.arun(lambda input, tools: "done", "go")
    assert result.output == "done"

def test_after():
    assert len(loops) == 6
"""
    )
    result.assert_outcomes(passed=2)


def test_methods_and_parameters(project):
    result = project(
        """
class TestIt:
    limit = 3

    @statistical(n=3, threshold=1.0)
    @pytest.mark.parametrize("x", [1, 3, 5])
    def test_it(self, x, mock_toolkit):
        assert x <= self.limit
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*assert 5 <= 3*"])


def test_the_scripted_model_is_scripted_anew_for_each_run(project):
    pytest.importorskip("urllib3")
    result = project(
        """
import urllib3

def ask(input, tools):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": input}]}
    answer = urllib3.PoolManager().request("POST", "https://api.openai.com/v1/chat/completions", json=body)
    return answer.json()["choices"][0]["message"]["content"]

@pytest.mark.unitai_statistical(n=8, threshold=1.0)
def test_it(mock_toolkit, scripted_model):
    scripted_model([say("Hello!")])
    assert mock_toolkit.run(ask, "Hi").output == "Hello!"

@pytest.mark.unitai_statistical(n=4, threshold=1.0, mode="all")
def test_unplayed(mock_toolkit, scripted_model):
    scripted_model([say("Hello!"), say("never asked for")])
    mock_toolkit.run(ask, "Hi")
"""
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*4x — UnplayedScriptError*"])


def test_no_verdict_is_not_green(project):
    result = project(
        """
@statistical(n=5, threshold=0.5, retries=0)
def test_it():
    raise ConnectionError("the network is down")
"""
    )
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["inconclusive: no run came to a verdict (statistical)", "FAILED test_it.py::test_it - *InconclusiveError*"]
    )


@pytest.mark.parametrize("more", [(), ("-n", "2"), ("--unitai",)], ids=["alone", "xdist", "with our report"])
def test_runs_that_only_raise_are_an_error(project, more):
    if "-n" in more:
        pytest.importorskip("xdist")
    result = project(
        """
@statistical(n=5, threshold=0.5)
def test_it():
    {}["odrer"]

@statistical(n=5, threshold=0.5)
def test_asserts():
    assert next(turns) < 2 and {}["odrer"], "no refund"
""",
        *more,
    )
    result.assert_outcomes(failed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*ERROR at call of test_it*",
            "  Error: 5 of 5 runs raised, and no assertion failed: *",
            "*KeyError: 'odrer'",
            "  Pass rate: 0/5 (0.0%) *",
            "ERROR test_it.py::test_it - *RunsRaisedError*",
        ]
    )


def test_a_skip_skips_the_whole_test(project):
    result = project(
        """
calls = []

@statistical(n=5)
def test_it():
    calls.append(1)
    pytest.skip("not today")

@statistical(n=5, budget=None)
def test_xfails():
    calls.append(1)
    pytest.xfail("known")

def test_after():
    assert len(calls) == 6, "the first run, made alone, was enough"
""",
        "-rsx",
    )
    result.assert_outcomes(passed=1, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["SKIPPED * test_it.py:*: not today", "XFAIL test_it.py::test_xfails - known"])


@pytest.mark.parametrize("leave", ["pytest.skip('no seat')", "pytest.xfail('no seat')"])
@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_skip_in_one_run_hides_no_failure_of_another(project, leave, more):
    if more:
        pytest.importorskip("xdist")
    tests = "".join(
        f"""
turns_{workers} = itertools.count()

@statistical(n=10, threshold=0.9, max_workers={workers})
def test_{workers}():
    turn = next(turns_{workers})
    if turn == 3:
        {leave}
    assert turn > 5, "no refund"
"""
        for workers in (1, 4)
    )
    result = project(tests, "--junitxml=out.xml", *more)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["  Pass rate: 4/9 (44.4%) — required: 90.0%", "*5x — no refund", "*1x it *: no seat"])


def test_what_ended_the_runs_is_told(project, pytester):
    result = project(
        """
def agent(toolkit, cost):
    return toolkit.run(lambda input, tools: toolkit.record_llm_call("m", 1, 1, cost=cost), "think")

@statistical(n=10, threshold=0.5, max_workers=1, budget=1.0)
def test_decided(mock_toolkit):
    agent(mock_toolkit, 0.05 if next(turns) < 7 else 1.0)

@statistical(n=10, threshold=0.9, max_workers=1, budget=1.0)
def test_undecided(mock_toolkit):
    agent(mock_toolkit, 0.05 if next(turns) < 12 else 1.0)
""",
        "--junitxml=out.xml",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*; 4 of 10 runs (4 passed, 0 failed) were made",
            "test_it.py::test_decided: 7/7 passed (100.0%), 50.0% required; 95% interval 34.8% to 100.0% (valid whatever"
            " the missing runs would be): not enough to claim 50%. Stopped after 7 of 10 runs: the budget of these runs *",
            "test_it.py::test_undecided: 4/4 passed *. Stopped after 4 of 10 runs: the budget of these runs *",
        ]
    )
    found = [
        {each.get("name"): each.get("value") for each in case.iter("property")}
        for case in ElementTree.parse(pytester.path / "out.xml").iter("testcase")
    ]
    assert [(each["unitai.verdict"], each["unitai.passed"], each["unitai.interval_basis"]) for each in found] == [
        ("passed", "7", "missing_runs"),
        ("inconclusive", "4", "missing_runs"),
    ]


def test_defaults_do_not_warn_and_say_what_they_can_claim(project):
    result = project("@statistical\ndef test_it():\n    pass\n", "-W", "error")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["test_it.py::test_it: 10/10 passed*95% interval 69.2% to 100.0%: not enough to claim 95%"]
    )
    assert "Warning" not in result.stdout.str()


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ("@pytest.mark.unitai_statistical(runs=5)\ndef test_it(): pass", "has no argument `runs`"),
        ("@pytest.mark.unitai_statistical(n=0)\ndef test_it(): pass", "n must be a whole number of at least 1"),
        ("@statistical(threshold=2)\ndef test_it(): pass", "threshold must be a number from 0 to 1"),
        ("@statistical(n=3)\ndef test_it():\n    yield", "generator function"),
        ("@statistical(n=3)\ndef test_it(nothing): pass", "fixture 'nothing' not found"),
    ],
)
def test_what_makes_no_sense_is_told(project, tests, words):
    result = project(tests)
    assert result.ret != 0
    result.stdout.fnmatch_lines([f"*{words}*"])


def test_a_junit_file_tells_the_rate_and_the_interval(project, pytester):
    result = project(
        "@statistical(n=9, threshold=0.6, mode='all')\ndef test_it(mock_toolkit):\n    refund(mock_toolkit)\n",
        "--junitxml=out.xml",
    )
    result.assert_outcomes(passed=1)
    found = {
        each.get("name"): each.get("value") for each in ElementTree.parse(pytester.path / "out.xml").iter("property")
    }
    assert found["unitai.verdict"] == "passed"
    assert (found["unitai.passed"], found["unitai.failed"]) == ("6", "3")
    assert found["unitai.interval"].startswith("0.299")
    assert 0 < float(found["unitai.duration"]) < 60


def test_with_xdist(project):
    pytest.importorskip("xdist")
    tests = "".join(
        f"@statistical(n=9, threshold=0.6)\ndef test_{n}(mock_toolkit):\n    refund(mock_toolkit)\n" for n in range(4)
    )
    project(tests, "-n", "2").assert_outcomes(passed=4)


@pytest.mark.parametrize("base", ["unittest.TestCase", "AgentTestCase"])
@pytest.mark.parametrize(
    "head",
    ["@statistical(n=8, threshold=0.5, mode='all')", "@pytest.mark.unitai_statistical(n=8, threshold=0.5, mode='all')"],
)
def test_methods_of_test_cases_are_repeated(project, head, base):
    result = project(
        f"""
import unittest
from unitai import AgentTestCase
calls, toolkits = [], []

class TestIt({base}):
    def setUp(self):
        self.limit = 3

    {head}
    def test_it(self):
        calls.append(1)
        toolkits.append(getattr(self, "toolkit", None))
        self.assertLessEqual(self.limit, 3)

    {head}
    def test_fails(self):
        self.assertLess(self.limit, 3)

def test_after():
    assert len(calls) == 8
    assert len(set(map(id, toolkits))) == (8 if {base!r} == "AgentTestCase" else 1)
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*8x — 3 not less than 3*"])


@pytest.mark.parametrize("mode", ["all", "early"])
def test_a_skip_after_the_verdict_changes_nothing(project, mode):
    result = project(
        f"""
import time
lock, turns = threading.Lock(), itertools.count()

@statistical(n=4, threshold=1.0, max_workers=2, budget=None, mode="{mode}")
def test_it():
    with lock:
        turn = next(turns)
    if turn == 0:
        time.sleep(0.1)
        assert False, "this decides"
    time.sleep(0.2)
    pytest.skip("too late")
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Pass rate: 0/1 (0.0%)*", "*1x — this decides"])


def test_a_line_of_progress_is_shown_on_a_terminal_and_nowhere_else(pytester):
    import os
    import pty
    import subprocess
    import sys

    pytester.makepyfile(
        "import time\nfrom unitai import statistical\n\n"
        "@statistical(n=20, threshold=0.8)\ndef test_it():\n    print('said')\n    time.sleep(0.25)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    plain = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=False)
    assert plain.returncode == 0
    assert "/20 runs" not in plain.stdout + plain.stderr

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    environment.pop("PY_COLORS", None)
    child = subprocess.Popen(command, cwd=pytester.path, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert child.wait() == 0
    assert b"/20 runs" in seen and b"left at most" in seen
    assert b"said" not in seen


def test_without_a_terminal_plugin(project):
    tests = "@statistical(n=4, threshold=1.0)\ndef test_it(mock_toolkit):\n    refund(mock_toolkit)\n"
    result = project(tests, "-p", "no:terminal", "--junitxml=out.xml")
    assert result.ret == 1


def test_other_plugins_find_what_a_repeated_test_came_to(project, pytester):
    pytester.makeconftest(
        """
import pytest
from unitai.pytest_plugin.trials import RESULT

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        print("FOUND", item.stash[RESULT].summary().splitlines()[0])
    return report
"""
    )
    result = project(
        "@statistical(n=9, threshold=0.6, mode='all')\ndef test_it(mock_toolkit):\n    refund(mock_toolkit)\n", "-s"
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*FOUND 6/9 passed (66.7%)*"])


def test_no_secret_is_in_what_is_told_of_a_failure(project, pytester, monkeypatch):
    key = "Zk3vQ8xWn2LmR7tYpA5d"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    result = project(
        f"""
@statistical(n=4, threshold=1.0, mode="all")
def test_it():
    raise AssertionError("the key {key} was refused")

def test_in_code():
    from unitai import StatisticalRunner
    def fails():
        raise ValueError("the key {key} was refused")
    stats = StatisticalRunner(n=20, threshold=0.8).run(fails)
    print(stats.summary(), stats.failure_modes, stats.modes, stats.report())
""",
        "-s",
        "--tb=no",
        "--junitxml=out.xml",
        "--unitai-save-baseline=out.json",
    )
    result.assert_outcomes(passed=1, failed=1)
    # The test's own source, which pytest shows, holds it; nothing that we tell does.
    told = result.stdout.str() + (pytester.path / "out.json").read_text()
    told += "".join(line for line in (pytester.path / "out.xml").read_text().splitlines() if "property" in line)
    assert "was refused" in told
    assert key not in told
