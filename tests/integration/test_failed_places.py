"""Where a failed test shows that it failed: the project's own way there. By the installed package, in pytest."""

from __future__ import annotations

import pytest
from projects import Project

pytestmark = pytest.mark.integration

FRAMEWORK = """
def step(tools, name):
    return tools[name](order="1")
"""

SHOP = """
import framework

def refund(message, tools):
    return framework.step(tools, message)
"""

TESTS = """
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site-packages"))
import shop

def broken(arguments):
    raise KeyError(arguments["order"])

def test_unmocked(mock_toolkit):
    mock_toolkit.mock("lookup", return_value={})
    mock_toolkit.run(shop.refund, "refund")

def test_agent(mock_toolkit):
    mock_toolkit.mock("lookup", side_effect=broken)
    result = mock_toolkit.run(shop.refund, "lookup")
    raise result.error
"""


@pytest.fixture
def project(tmp_path):
    """Tests of an agent that calls its tools through code that is installed."""
    project = Project(tmp_path)
    project.lay(**{"site-packages__framework": FRAMEWORK, "shop": SHOP, "test_shop": TESTS})
    return project


def lines(text: str, *parts: str) -> list[str]:
    """The first of these parts that each line has, for lines that have one."""
    found = (next((part for part in parts if part in line), None) for line in text.splitlines())
    return [part for part in found if part is not None]


def test_a_refused_tool_shows_the_project_alone(project):
    told = project.pytest("-k", "unmocked").stdout
    assert lines(told, ">       mock_toolkit.run(", ">       return framework.step(", "E       unitai.errors.") == [
        ">       mock_toolkit.run(",
        ">       return framework.step(",
        "E       unitai.errors.",
    ]
    assert "toolkit.py" not in told
    assert "site-packages" not in told
    # What was expected and found, and what to do, is said once.
    assert told.count('toolkit.mock("refund", return_value=...)') == 1


def test_an_error_of_the_agent_shows_the_framework_too(project):
    told = project.pytest("-k", "agent").stdout
    assert lines(told, "shop.py:5: in refund", "framework.py:3: in step", "E       KeyError: '1'") == [
        "shop.py:5: in refund",
        "framework.py:3: in step",
        "E       KeyError: '1'",
    ]
    assert "Agent raised: KeyError: '1' (at test_shop.py:9 in broken)" in told
    assert "toolkit.py" not in told


def test_all_frames_are_there_for_who_asks(project):
    told = project.pytest("-k", "unmocked", "--full-trace").stdout
    assert "toolkit.py:" in told
    assert "framework.py:3: UnmockedToolError" in told


def test_the_report_of_a_run_says_what_to_do(project):
    project.unitai("test", "-k", "unmocked")
    told = project.unitai("results").stdout
    assert lines(told, "not mocked [UA206]", "expected: ", "found: ", "to do: ", "Actual trajectory") == [
        "not mocked [UA206]",
        "expected: ",
        "found: ",
        "to do: ",
        "Actual trajectory",
    ]


def test_a_script_that_does_not_fit_shows_the_run_and_none_of_our_code(project):
    project.write(
        test_script="""
from model import ask
from unitai.script import say

def agent(message, tools):
    first = ask(message)
    try:
        return ask(first)
    except Exception:
        return first

def test_swallowed(mock_toolkit, scripted_model):
    scripted_model([say("Done.")])
    mock_toolkit.run(agent, "hello")
"""
    )
    told = project.pytest("test_script.py").stdout
    assert lines(told, "1. [llm_call]", "2. [llm_call]", "[UA104]", "expected: ", "to do: ") == [
        "[UA104]",
        "expected: ",
        "to do: ",
        "1. [llm_call]",
        "2. [llm_call]",
    ]
    assert "\nunitai.errors.UnexpectedModelCallError: the script" in told
    assert "FAILED test_script.py::test_swallowed - unitai.errors.Un" in told
    assert "voices.py" not in told
    assert "voices.py" in project.pytest("test_script.py", "--full-trace").stdout


def test_a_check_that_does_not_hold_says_so_once(project):
    project.write(
        test_check="""
def test_it(mock_toolkit):
    result = mock_toolkit.run(lambda message, tools: message, "hello")
    assert result.tool_was_called("lookup")
"""
    )
    told = project.pytest("test_check.py").stdout
    assert "assert <broken: expected lookup to be called, but " in told
    assert "built-in method" not in told


UNITTEST = """
import pytest
from unitai import AgentTestCase, InconclusiveError

def agent(message, tools):
    return tools["lookup"](order="1")

class Case(AgentTestCase):
    def test_check(self):
        self.toolkit.mock("lookup", return_value=1)
        result = self.toolkit.run(agent, "hi")
        assert result.tool_was_called("nope")

    def test_unmocked(self):
        self.toolkit.run(agent, "hi")

    @pytest.mark.xfail
    def test_undecided(self):
        raise InconclusiveError("nobody knows")
"""


def test_tests_of_unittest_are_told_of_as_others_are(project):
    project.write(test_case=UNITTEST)
    done = project.unitai("test", "--keep-going", "test_case.py")
    assert "1. [tool_call] lookup(order=" in done.stdout
    assert "+  where" not in done.stdout
    assert "toolkit.py" not in done.stdout
    # Who expects a failure has not seen one.
    assert "3 failed (1 inconclusive) in" in done.stdout
    assert "toolkit.mock(" in project.unitai("results").stdout


def test_the_project_is_shown_where_it_is_installed(project):
    project.write(test_shop=TESTS.replace("import shop", "from shop import agent as shop"))
    project.lay(**{"src__shop__agent": SHOP, "site-packages__shop__agent": SHOP})
    (project.folder / "shop.py").unlink()
    told = project.pytest("-k", "unmocked").stdout
    assert lines(told, ">       mock_toolkit.run(", ">       return framework.step(", "[UA206]")[:3] == [
        ">       mock_toolkit.run(",
        ">       return framework.step(",
        "[UA206]",
    ]


def test_a_refusal_in_installed_code_alone_shows_its_place(project):
    fixtures = """
import pytest

@pytest.fixture
def prepared(mock_toolkit):
    mock_toolkit.mock("lookup")
"""
    project.lay(**{"site-packages__fixtures": fixtures})
    project.write(
        conftest="""
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent / "site-packages"))
from fixtures import prepared
""",
        test_prepared="def test_it(prepared): pass",
    )
    told = project.pytest("test_prepared.py").stdout
    assert '>       mock_toolkit.mock("lookup")' in told
    assert "registration.py" not in told


def test_what_a_mock_raises_is_no_mistake_of_ours(project):
    project.write(
        test_mock="""
from unitai import statistical

def agent(message, tools):
    return tools["x"]()

def test_plain(mock_toolkit):
    mock_toolkit.mock("x", side_effect=LookupError("offline"))
    raise mock_toolkit.run(agent, "1").error

@statistical(n=4, threshold=0.9, mode="all")
def test_repeated(mock_toolkit):
    mock_toolkit.mock("x", side_effect=LookupError("offline"))
    helper(mock_toolkit)

def helper(toolkit):
    raise toolkit.run(agent, "1").error
"""
    )
    told = project.pytest("test_mock.py").stdout
    assert "strategies.py" not in told
    assert "attempting.py" not in told
    assert "in test_repeated" in told
