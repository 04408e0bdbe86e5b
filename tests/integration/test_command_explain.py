"""`unitai explain`: the page about an error, and where a user is told of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from projects import Project

pytestmark = pytest.mark.integration

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "errors"

STRICT = """
def test_refund(mock_toolkit):
    mock_toolkit.run(lambda input, tools: tools["refund"](), "x")
"""

CHAINED = """
from unitai import MockToolkit, UnitAIError

try:
    MockToolkit().get_tool("search")
except UnitAIError as error:
    raise RuntimeError(f"it went wrong: {error}") from None
"""


@pytest.mark.parametrize("name", ["UA206", "ua206", "[UA206]", "UnmockedToolError"])
def test_it_prints_the_page_of_an_error(tmp_path, name):
    done = Project(tmp_path).unitai("explain", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (PAGES / "UA206.md").read_text(encoding="utf-8")


def test_without_an_error_it_lists_all(tmp_path):
    done = Project(tmp_path).unitai("explain")
    assert (done.returncode, done.stderr) == (0, "")
    assert "UA206  UnmockedToolError" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()] == sorted(path.stem for path in PAGES.glob("UA*.md"))


@pytest.mark.parametrize(
    ("name", "hint"), [("UnmockedTolError", "perhaps `UnmockedToolError`; "), ("UA999", ""), ("\x1b[31m", "")]
)
def test_an_error_that_is_not_there_is_a_usage_error(tmp_path, name, hint):
    done = Project(tmp_path).unitai("explain", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"; {hint}`unitai explain` lists every error\n")
    assert "\x1b" not in done.stderr


def test_the_help_has_examples(tmp_path):
    told = Project(tmp_path).unitai("explain", "--help").stdout
    assert "unitai explain UA206" in told and "unitai lint --explain RULE" in told


def test_an_error_in_a_test_ends_with_where_more_is_said(tmp_path):
    project = Project(tmp_path)
    project.write(test_refund=STRICT)
    told = project.pytest("test_refund.py").stdout
    lines = [line.removeprefix("E").strip() for line in told.splitlines() if line.startswith("E ")]
    assert lines[-1] == "more:     unitai explain UA206"
    assert told.count("unitai explain") == 1
    code = re.search(r"unitai explain (UA\d+)", told)[1]
    assert project.unitai("explain", code).returncode == 0


def test_the_text_of_an_error_inside_of_another_does_not_repeat_it(tmp_path):
    project = Project(tmp_path)
    project.write(test_chained=f"def test_chained():\n    exec({CHAINED!r}, {{}})\n")
    told = project.pytest("test_chained.py").stdout
    assert "it went wrong" in told and "unitai explain" not in told


def test_an_option_that_cannot_be_used_ends_with_it_too(tmp_path):
    project = Project(tmp_path)
    project.write(test_refund=STRICT)
    told = project.pytest("--unitai-budget=much").stderr
    assert told.strip().endswith("more:     unitai explain UA211")
