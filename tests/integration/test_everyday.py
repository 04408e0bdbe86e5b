"""What a team touches every day, as the specification shows it: by pytest and by the installed command, with exit
code, output and errors looked at together.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from projects import Project

pytestmark = pytest.mark.integration

REFUND = """
import pytest
from model import ask
from unitai.script import say

def agent(input, tools):
    tools["process_refund"](order_id=input, amount=49.99)
    tools["lookup_order"](order_id=input)
    return ask("Is it done?")

@pytest.fixture
def result(mock_toolkit, scripted_model):
    scripted_model([say("Your refund of $49.99 has been processed.").using(800, 47)])
    mock_toolkit.mock("lookup_order", return_value={"status": "delivered"})
    mock_toolkit.mock("process_refund", return_value={"ok": True})
    return mock_toolkit.run(agent, "123")

def test_refund_is_processed(result):
    assert result.tool_was_called("process_refund")

def test_refund_requires_lookup(result):
    assert result.tool_called_before("lookup_order", "process_refund")
"""

OFTEN = """
turns = iter(["right"] * 7 + ["order"] * 2 + ["none"])
CALLS = {
    "right": ["lookup_order", "process_refund"],
    "order": ["process_refund", "lookup_order"],
    "none": ["process_refund"],
}

@pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")
@pytest.mark.unitai_statistical(n=10, threshold=0.95, mode="all", max_workers=1)
def test_refund_often(mock_toolkit):
    names = CALLS[next(turns)]
    for name in CALLS["right"]:
        mock_toolkit.mock(name, return_value={})
    result = mock_toolkit.run(lambda input, tools: [tools[name]() for name in names], "123")
    assert result.tool_called_before("lookup_order", "process_refund")
"""

SINGLE_FAILURE = """\
  Assertion: tool_called_before("lookup_order", "process_refund")

  Actual trajectory:
  > 1. [tool_call] process_refund(order_id="123", amount=49.99)
  > 2. [tool_call] lookup_order(order_id="123")
    3. [llm_call] gpt-4o (847 tokens, $0.0025)

  Expected: lookup_order before process_refund
  Actual:   process_refund was called at step 1, lookup_order at step 2

  Agent output: "Your refund of $49.99 has been processed."
  Cost: $0.0025 | Tokens: 847 | Duration: """


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("refund"))
    project.write(test_refund=REFUND + OFTEN)
    return project


class TestPytest:
    """The plugin: phase 6."""

    def test_it_lists_the_tests(self, project):
        done = project.pytest("--co", "-q")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split("\n\n")[0].splitlines() == [
            "test_refund.py::test_refund_is_processed",
            "test_refund.py::test_refund_requires_lookup",
            "test_refund.py::test_refund_often",
        ]

    def test_it_runs_them_and_shows_what_the_agent_did(self, project):
        done = project.pytest("test_refund.py", "--junitxml=own.xml")
        assert (done.returncode, done.stderr) == (1, "")
        assert SINGLE_FAILURE in done.stdout
        assert "2 failed, 1 passed" in done.stdout
        shown = done.stdout[done.stdout.index("  Pass rate:") :]
        assert shown.startswith("  Pass rate: 7/10 (70.0%) — required: 95.0%\n\n  Failure modes:\n    2x — expected ")
        assert "    1x — expected lookup_order before process_refund, but lookup_order was never called" in shown
        assert "  Cost: $0.00 total across 10 runs\n" in shown
        cases = {case.get("name"): case for case in ElementTree.parse(project.folder / "own.xml").iter("testcase")}
        told = {p.get("name"): p.get("value") for p in cases["test_refund_is_processed"].iter("property")}
        assert told["unitai.tokens"] == "847" and float(told["unitai.cost"]) == pytest.approx(0.00247)
        told = {p.get("name"): p.get("value") for p in cases["test_refund_often"].iter("property")}
        assert told["unitai.pass_rate"] == "0.7"


class TestCommand:
    """The command line: phase 7; and what it leaves for CI: phase 10."""

    def test_a_failure_is_1_and_all_passed_is_0(self, project):
        failed = project.unitai("test", "--keep-going", "--budget=5.00")
        assert (failed.returncode, failed.stderr) == (1, "")
        assert SINGLE_FAILURE in failed.stdout
        block = failed.stdout[failed.stdout.index("=" * 24 + " UnitAI Results " + "=" * 24) :].splitlines()
        assert block[1].startswith("1 passed, 2 failed in ")
        assert block[2] == "Total cost: $0.0049 | Total tokens: 1,694 | LLM calls: 2"
        assert block[4] == "Budget remaining: $5.00 / $5.00"
        passed = project.unitai("test", "test_refund.py::test_refund_is_processed")
        assert (passed.returncode, passed.stderr) == (0, "")
        assert "1 passed in" in passed.stdout

    def test_the_last_run_is_shown_and_the_job_is_told_its_cost(self, project):
        summary = project.folder / "summary.md"
        project.unitai("test", "--keep-going", GITHUB_STEP_SUMMARY=str(summary))
        done = project.unitai("results")
        assert (done.returncode, done.stderr) == (1, "")
        lines = done.stdout.splitlines()
        assert any(line.startswith("passed ") and "test_refund_is_processed" in line for line in lines)
        assert any(line.startswith("failed ") and "test_refund_requires_lookup" in line for line in lines)
        assert "expected lookup_order before process_refund" in done.stdout
        told = json.loads(project.unitai("results", "--json").stdout)
        assert (told["passed"], told["failed"], told["cost"]) == (1, 2, pytest.approx(0.00494))
        markdown = summary.read_text(encoding="utf-8")
        assert "test_refund_requires_lookup" in markdown and "$0.0025" in markdown and "$0.0049" in markdown

    def test_help_names_every_flag(self, project):
        done = project.unitai("test", "--help")
        assert (done.returncode, done.stderr) == (0, "")
        flags = "--n --threshold --model --budget --record --replay --no-cache --keep-going --baseline".split()
        assert [flag for flag in flags if f" {flag}" not in done.stdout] == []
        done = project.unitai("--help")
        assert (done.returncode, done.stderr) == (0, "")
        commands = "test init cache results config doctor report serve demo completions".split()
        assert [command for command in commands if f"\n  {command} " not in done.stdout] == []


class TestConfiguration:
    """The settings: phase 9."""

    @pytest.mark.parametrize("name", ["pyproject.toml", "unitai.toml"])
    def test_a_file_and_the_environment_before_it(self, name, tmp_path):
        project = Project(tmp_path)
        head = "[tool.unitai]\n" if name == "pyproject.toml" else ""
        Path(tmp_path, name).write_text(f"{head}default_n = 4\ndefault_threshold = 0.1\n", encoding="utf-8")
        project.write(
            test_it="from unitai import statistical\n@statistical(mode='all')\ndef test_usual():\n    pass\n"
            "@statistical(n=6, mode='all')\ndef test_own():\n    pass\n"
        )
        of_file = project.unitai("test")
        assert (of_file.returncode, of_file.stderr) == (0, "")
        assert "test_usual: 4/4 passed (100.0%), 10.0% required" in of_file.stdout
        assert "test_own: 6/6 passed" in of_file.stdout
        of_environment = project.unitai("test", UNITAI_DEFAULT_N="3")
        assert "test_usual: 3/3 passed" in of_environment.stdout and "test_own: 6/6 passed" in of_environment.stdout
