"""What an agent raised reaches the log of CI as text: it is no command to GitHub, and none to a terminal."""

from __future__ import annotations

import re

import pytest
from projects import Project

pytestmark = pytest.mark.integration

TESTS = r"""
import threading
import warnings

import pytest

from unitai import MockToolkit, UnmockedToolError, statistical

EVIL = "boom\r::warning::pwned\n::error::pwned\r\n  ::notice::pwned\x1b[2J\x85::debug::pwned\u2028::group::pwned\n##[error]pwned"


def failing(text, tools):
    raise ValueError(EVIL)


def run(agent):
    toolkit = MockToolkit()
    toolkit.mock("search", side_effect=RuntimeError(EVIL))
    return toolkit.run(agent, "go")


def test_reraised():
    raise run(failing).error


def test_raised_from():
    raise KeyError(EVIL) from run(failing).error


def test_of_a_mock():
    raise run(lambda text, tools: tools["search"](q=1)).error


def test_asserted():
    result = run(failing)
    assert result.succeeded


def test_compared():
    assert run(lambda text, tools: EVIL).output == "nothing"


def test_unmocked():
    def agent(text, tools):
        try:
            raise ValueError(EVIL)
        except ValueError:
            return tools["b" + EVIL](x=EVIL)

    try:
        run(agent)
    except KeyError as error:
        raise UnmockedToolError(EVIL) from error


@statistical(n=2, threshold=1.0)
def test_repeated():
    raise ValueError(EVIL)


@statistical(n=2, threshold=1.0)
def test_repeated_agent():
    assert run(failing).succeeded


def test_grouped():
    raise ExceptionGroup(EVIL, [ValueError(EVIL)]) if "ExceptionGroup" in dir(__builtins__) else ValueError(EVIL)


def test_noted():
    error = run(failing).error
    error.__notes__ = [EVIL]
    raise error


class Foreign(BaseException):
    def __str__(self):
        return EVIL

    __repr__ = __str__


@pytest.mark.parametrize("error", [Foreign(), SystemExit(EVIL), GeneratorExit(EVIL), KeyError(EVIL, [EVIL])])
def test_of_any_kind(error):
    raise error


def test_of_a_class_made_at_run_time():
    raise type("Made\r::error::pwned", (Exception,), {})(EVIL)


def test_failed_without_a_traceback():
    pytest.fail(str(run(failing).error), pytrace=False)


def test_skipped():
    pytest.skip(str(run(failing).error))


def test_expected_to_fail():
    pytest.xfail(str(run(failing).error))


def test_warned():
    def agent(text, tools):
        warnings.warn(EVIL)
        return "done"

    assert run(agent).succeeded


def test_raised_in_a_thread():
    thread = threading.Thread(target=failing, args=("", {}))
    thread.start()
    thread.join()


def test_raised_while_it_was_deleted():
    class Deleted:
        def __del__(self):
            raise ValueError(EVIL)

    Deleted()
"""


COLLECTED = """
from test_evil import failing, run

raise run(failing).error
"""


def assert_no_commands(text):
    # GitHub's runner takes each of these for the end of a line, and trims what is before a command.
    lines = re.split("[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+", text)
    assert [line for line in lines if line.strip().startswith("::") or "##[" in line] == []
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028]", text)


@pytest.mark.parametrize("options", ["", "-rA", "--tb=short -l", "--tb=native", "--tb=line", "--full-trace", "-vv -n2"])
def test_no_message_of_an_agent_is_a_command(tmp_path, options):
    project = Project(tmp_path)
    project.write(test_evil=TESTS, test_not_collected=COLLECTED)
    options += " --continue-on-collection-errors"
    if "-n2" in options:
        pytest.importorskip("xdist")
        options += " -p xdist"
    done = project.pytest("--unitai", *options.split())
    text = done.stdout + done.stderr
    assert done.returncode == 1
    assert "pwned" in text
    assert_no_commands(text)


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt(EVIL)", "pytest.exit(EVIL)"])
def test_what_ends_the_session_is_no_command(tmp_path, end):
    project = Project(tmp_path)
    project.write(
        test_evil=TESTS, test_end=f"import pytest\nfrom test_evil import EVIL\n\ndef test_end():\n    {end}\n"
    )
    done = project.pytest("--unitai", "test_end.py")
    assert done.returncode == 2
    assert "pwned" in done.stdout
    assert_no_commands(done.stdout + done.stderr)
