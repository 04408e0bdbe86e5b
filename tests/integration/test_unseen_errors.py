"""An agent that raised in a test that passed: who is told of it, and who is not. By the installed package, in pytest."""

from __future__ import annotations

import pytest
from projects import Project

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path):
    """An empty project."""
    return Project(tmp_path)


UNSEEN = """
def agent(message, tools):
    tools["lookup"](order="1")
    raise KeyError("order")

def run(toolkit):
    toolkit.mock("lookup", return_value={})
    return toolkit.run(agent, "hello")

def test_unseen(mock_toolkit):
    assert run(mock_toolkit).tool_was_called("lookup")

def test_meant(mock_toolkit):
    assert run(mock_toolkit).failed

def test_by_class(mock_toolkit):
    assert run(mock_toolkit).error_is(KeyError)

def test_by_hand(mock_toolkit):
    assert isinstance(run(mock_toolkit).trajectory.error, KeyError)

def test_inline(mock_toolkit):
    assert run(mock_toolkit).output == "done"
"""


REPEATED = """
from unitai import statistical

@statistical(n=4, threshold=0.5, mode="all")
def test_repeated_unseen(mock_toolkit):
    assert run(mock_toolkit).tool_was_called("lookup")

@statistical(n=4, threshold=0.5, mode="all")
def test_repeated_meant(mock_toolkit):
    assert run(mock_toolkit).failed
"""


def test_an_agent_that_raised_unseen_is_told_of(project):
    project.write(test_unseen=UNSEEN)
    told = project.pytest("test_unseen.py", "-W", "error").stdout
    assert "1 failed, 4 passed, 1 warning in" in told
    assert (
        "UnseenErrorWarning: the agent raised KeyError: 'order' (at test_unseen.py:4 in agent), and no check of this "
        "test asked how the run ended: assert result.succeeded, or result.failed if it is meant to"
    ) in told
    # A test that gave no name to its run shows it, too.
    assert told.count("Actual trajectory") == told.count("Agent raised: KeyError") == 1
    assert told.index("Actual trajectory") < told.index("Agent raised: KeyError")


def test_repeated_runs_that_raised_unseen_are_told_of_once(project):
    project.write(test_unseen=UNSEEN + REPEATED)
    told = project.pytest("test_unseen.py", "-k", "repeated").stdout
    assert "2 passed, 5 deselected" in told
    assert told.count("UnseenErrorWarning") == 1
    assert "(at test_unseen.py:4 in agent) in 4 runs that passed, and no check" in told


def test_who_does_not_want_to_hear_of_unseen_errors_does_not(project):
    project.write(test_unseen=UNSEEN)
    unseen = "no check of this test asked how the run ended"
    assert unseen in project.pytest("test_unseen.py").stdout
    quiet = project.pytest("test_unseen.py", "-W", "ignore::unitai.UnseenErrorWarning")
    assert unseen not in quiet.stdout
    project.write(test_unseen=UNSEEN + REPEATED)
    # Where warnings are errors, it stays a warning, and the statistics of a repeated test stay.
    both = ("test_unseen.py::test_unseen", "test_unseen.py::test_repeated_unseen")
    strict = project.pytest(*both, "-W", "error::unitai.UnseenErrorWarning").stdout
    assert strict.count(unseen) == 2
    assert "2 passed" in strict
    assert "repeated tests" in strict


def test_only_tests_that_passed_are_told_of(project):
    project.write(
        test_ended="""
import pytest

def crash(message, tools):
    raise KeyError("order")

def test_skipped(mock_toolkit):
    mock_toolkit.run(crash, "1")
    pytest.skip("no")

@pytest.mark.xfail
def test_expected(mock_toolkit):
    mock_toolkit.run(crash, "1")
    assert 0

def test_failed(mock_toolkit):
    mock_toolkit.run(crash, "1")
    assert 0
"""
    )
    assert "UnseenErrorWarning" not in project.pytest("test_ended.py").stdout
