"""The GitHub action, run step by step as GitHub's runner would: what it does, and what hostile inputs, tests and models
cannot make it do.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from actions_runner import Ran, load, run_action
from projects import clean_environment

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / "ci" / "github_action"
COMMAND = Path(sys.executable).parent / "unitai"

# Writes down how it was called, and then does what a variable says.
STUB = """#!{python}
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    kept = [name for name in os.environ if name.startswith("GITHUB_") and name != "GITHUB_ACTIONS"]
    calls.write(json.dumps([sys.argv[0].rsplit("/")[-1], sys.argv[1:], sorted(kept)]) + "\\n")
if sys.argv[1:2] == ["test"]:
    print(os.environ.get("SAYS", ""))
    if "JUNIT" in os.environ:
        os.makedirs("test-results", exist_ok=True)
        open("test-results/unitai.xml", "w").write(os.environ["JUNIT"])
    sys.exit(int(os.environ.get("CODE", "0")))
if sys.argv[1:2] == ["results"]:
    if "RESULTS" not in os.environ:
        sys.exit("error: unrecognized subcommand")
    print(os.environ["RESULTS"])
if sys.argv[1:2] == ["report"]:
    if "RESULTS" not in os.environ:
        sys.exit("error: unrecognized subcommand")
    os.makedirs("test-results", exist_ok=True)
    open("test-results/unitai.html", "w").write("<p>")
"""
# The interpreter of the action: pip is written down, all else is done.
PYTHON = """#!{python}
import json, os, sys
if sys.argv[1:3] == ["-m", "pip"]:
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps(["pip", sys.argv[3:], []]) + "\\n")
    print("::add-mask::12")
    sys.exit(int(os.environ.get("PIP_CODE", "0")))
else:
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""
RESULTS = {"passed": 12, "failed": 1, "errors": 1, "inconclusive": 1, "skipped": 2, "cost": 0.47, "paid": 0.2}
HOSTILE = [
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "a\ntouch pwned",
    "' ; touch pwned #",
    "${{ github.token }}",
]


class Workshop:
    """A project, a runner, and a stand-in for `unitai` and `pip` that writes its calls down."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.project = folder / "project"
        self.tools = folder / "tools"
        self.project.mkdir()
        self.tools.mkdir()
        for name, text in (("unitai", STUB), ("python", PYTHON)):
            path = self.tools / name
            path.write_text(text.format(python=sys.executable), encoding="utf-8")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, inputs: dict[str, str] | None = None, **environment: str) -> Ran:
        known = clean_environment()
        path = f"{self.tools}{os.pathsep}{known['PATH']}"
        calls = str(self.folder / "calls")
        return run_action(ACTION, self.project, inputs or {}, {**known, "PATH": path, "CALLS": calls, **environment})

    def calls(self, program: str) -> list[list[str]]:
        path = self.folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [args for name, args, _ in map(json.loads, lines) if name == program]

    def left(self) -> list[str]:
        return sorted(path.name for path in self.folder.rglob("pwned*"))


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


def test_it_installs_tests_and_tells(workshop):
    ran = workshop.run(
        {"budget": "5.00", "model-override": "gpt-4o-mini", "extra-args": "--replay -k 'a b'"},
        RESULTS=json.dumps(RESULTS),
        JUNIT="<testsuites/>",
    )
    assert ran.is_well, ran.log
    assert workshop.calls("pip") == [["install", "--disable-pip-version-check", "unitai", "pytest"]]
    assert workshop.calls("unitai") == [
        ["test", "--budget=5.00", "--model=gpt-4o-mini", "--keep-going", "--replay", "-k", "a b"],
        ["results", "--json"],
        ["report"],
    ]
    assert ran.outputs == {"pass-count": "12", "fail-count": "3", "total-cost": "0.47"}
    python, artifact = ran.used.values()
    assert python == {"python-version": "3.12"}
    results = workshop.project / "test-results"
    assert artifact == {
        "name": "unitai-results",
        "path": f"{results / 'unitai.xml'}\n{results / 'unitai.html'}",
        "if-no-files-found": "ignore",
    }


def test_results_are_kept_of_a_run_that_failed_and_its_exit_code_counts(workshop):
    ran = workshop.run(CODE="1", RESULTS=json.dumps(RESULTS), JUNIT="<testsuites/>")
    assert not ran.is_well
    assert ran.outputs["fail-count"] == "3"
    assert any("upload-artifact" in name for name in ran.used)


def test_nothing_is_kept_if_nobody_wants_it(workshop):
    ran = workshop.run({"upload-artifacts": "false", "python-version": ""}, JUNIT="<testsuites/>")
    assert ran.is_well
    assert ran.used == {}


@pytest.mark.parametrize(
    ("inputs", "needs"),
    [
        ({"version": "0.1.0", "extras": "dask,openai"}, ["unitai[dask,openai]==0.1.0", "pytest"]),
        ({"install": "-r requirements.txt\n'a b'"}, ["unitai", "pytest", "-r", "requirements.txt", "a b"]),
        ({"version": "installed", "install": "."}, ["."]),
        ({"version": "installed"}, None),
    ],
)
def test_what_is_installed_can_be_said(workshop, inputs, needs):
    assert workshop.run(inputs).is_well
    expected = [] if needs is None else [["install", "--disable-pip-version-check", *needs]]
    assert workshop.calls("pip") == expected


def test_what_cannot_be_installed_ends_the_job(workshop):
    ran = workshop.run(PIP_CODE="1")
    assert not ran.is_well
    assert ran.commands == []
    assert workshop.calls("unitai") == []


def test_it_stops_at_the_first_failure_if_asked(workshop):
    workshop.run({"fail-fast": "true"})
    assert workshop.calls("unitai")[0] == ["test"]


def test_a_project_may_be_in_a_folder(workshop):
    (workshop.project / "agents").mkdir()
    ran = workshop.run({"working-directory": "agents"}, JUNIT="<testsuites/>")
    assert next(reversed(ran.used.values()))["path"] == str(workshop.project / "agents/test-results/unitai.xml")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["budget", "version", "extras", "junit-xml"])
def test_an_input_that_cannot_be_is_refused_before_anything_runs(workshop, name, text):
    ran = workshop.run({name: text})
    assert not ran.is_well
    assert workshop.left() == []
    assert not any(call[:1] == ["test"] for call in workshop.calls("unitai"))
    (command,) = ran.commands
    assert command.startswith("::error title=UnitAI::")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["model-override", "fail-fast"])
def test_an_input_that_is_a_text_stays_one(workshop, name, text):
    ran = workshop.run({name: text})
    assert ran.is_well, ran.log
    assert workshop.left() == []
    expected = ["test", f"--model={text}", "--keep-going"] if name == "model-override" else ["test", "--keep-going"]
    assert workshop.calls("unitai")[0] == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"; touch pwned; "', ["; touch pwned; "]),
        ("$(touch pwned)", ["$(touch", "pwned)"]),
        ("`touch pwned`", ["`touch", "pwned`"]),
        ("a\ntouch pwned", ["a", "touch", "pwned"]),
        ("; touch pwned", [";", "touch", "pwned"]),
        ("--extra 'one two' \"three $HOME\" * ~", ["--extra", "one two", "three $HOME", "*", "~"]),
        ("a\\ b ''", ["a b", ""]),
        ("", []),
    ],
)
@pytest.mark.parametrize("name", ["extra-args", "install"])
def test_words_are_split_and_never_run(workshop, name, text, words):
    ran = workshop.run({name: text})
    assert ran.is_well, ran.log
    assert workshop.left() == []
    if name == "extra-args":
        assert workshop.calls("unitai")[0] == ["test", "--keep-going", *words]
    else:
        assert workshop.calls("pip")[0][2:] == ["unitai", "pytest", *words]


@pytest.mark.parametrize("name", ["extra-args", "install"])
def test_a_quote_that_is_not_closed_is_told_on_one_line(workshop, name):
    ran = workshop.run({name: "a 'b\n::set-output name=pass-count::99"})
    assert not ran.is_well
    (command,) = ran.commands
    assert command.startswith(f"::error title=UnitAI::{name} cannot be split")
    assert "%0A::set-output" in command


@pytest.mark.parametrize("path", ["/etc/x.xml", "../x.xml", "a/../../x.xml", "notes.txt", "", "a\nb.xml"])
def test_the_junit_file_is_one_of_the_project(workshop, path):
    victim = workshop.folder / "x.xml"
    victim.write_text("theirs", encoding="utf-8")
    assert not workshop.run({"junit-xml": path}).is_well
    assert victim.read_text(encoding="utf-8") == "theirs"


COMMANDS = "::set-output name=pass-count::99\n::add-mask::12\n  ::warning::x\n##[error]x\n::stop-commands::mine\n::mine::\n::error::x"


def test_what_tests_print_is_no_command(workshop):
    ran = workshop.run(SAYS=COMMANDS, RESULTS=json.dumps(RESULTS))
    assert "::add-mask::12" in ran.log
    assert ran.commands == []
    assert ran.outputs["pass-count"] == "12"


def test_the_end_of_the_silence_cannot_be_guessed(workshop):
    marks = {line for _ in range(3) for line in workshop.run().log.splitlines() if "stop-commands" in line}
    assert len(marks) == 6
    assert all(len(mark.rpartition(":")[2]) == 32 for mark in marks)


def test_the_tests_do_not_see_the_files_that_speak_to_later_steps(workshop):
    workshop.run(RESULTS=json.dumps(RESULTS))
    seen = [
        kept
        for name, _, kept in map(json.loads, (workshop.folder / "calls").read_text().splitlines())
        if name == "unitai"
    ]
    assert seen == [["GITHUB_ACTION_PATH", "GITHUB_STEP_SUMMARY"]] * 3


@pytest.mark.parametrize(
    "results",
    [
        "",
        "nonsense",
        "[]",
        '{"passed": "12\\nfail-count=0", "failed": 0}',
        '{"passed": -1, "failed": 0}',
        '{"passed": true, "failed": 0}',
        '{"passed": 1.5, "failed": 0}',
        '{"failed": 1}',
    ],
)
def test_results_that_cannot_be_are_not_told(workshop, results):
    ran = workshop.run(RESULTS=results)
    assert ran.is_well, ran.log
    assert ran.outputs == {"pass-count": "", "fail-count": "", "total-cost": ""}


@pytest.mark.parametrize(
    ("cost", "told"),
    [(None, ""), (0, "0"), (1e-6, "0.000001"), (12.5, "12.5"), (True, ""), ("1", ""), (float("nan"), ""), (-1, "")],
)
def test_a_cost_is_a_number_or_nothing(workshop, cost, told):
    ran = workshop.run(RESULTS=json.dumps({**RESULTS, "cost": cost}))
    assert ran.outputs["total-cost"] == told


JUNIT = """<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure/></testcase>
<testcase name="c"><error/></testcase><testcase name="d"><skipped/></testcase><testcase name="e"/></testsuite></testsuites>"""


def test_without_the_command_for_results_the_junit_file_is_counted(workshop):
    ran = workshop.run(JUNIT=JUNIT, CODE="1")
    assert ran.outputs == {"pass-count": "2", "fail-count": "2", "total-cost": ""}


def test_the_results_of_an_older_run_are_not_taken_for_this_one(workshop):
    old = workshop.project / "test-results"
    old.mkdir()
    (old / "unitai.xml").write_text(JUNIT, encoding="utf-8")
    ran = workshop.run(CODE="4", RESULTS=json.dumps(RESULTS))
    assert not ran.is_well
    assert ran.outputs == {"pass-count": "", "fail-count": "", "total-cost": ""}


def test_no_step_puts_an_input_into_a_script():
    for step in load(ACTION / "action.yml")["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    assert "eval" not in (ACTION / "entrypoint.sh").read_text(encoding="utf-8")


def test_other_actions_are_pinned_by_commit():
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    uses = [line.split("uses:")[1].strip() for line in text.splitlines() if "uses:" in line]
    assert len(uses) == 2
    for use in uses:
        commit, version = use.partition("@")[2].split(" # v")
        assert len(commit) == 40
        assert int(commit, 16)
        assert version.count(".") == 2


TEST = """
import urllib3
from unitai.script import say

def agent(question, tools):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": question}]}
    answer = urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False)
    return answer.json()["choices"][0]["message"]["content"]

def test_it_works(mock_toolkit, scripted_model):
    scripted_model([say("::add-mask::1").using(1000, 10)])
    result = mock_toolkit.run(agent, "hello")
    print("\\n::set-output name=pass-count::99")
    print(result.output)
    assert result.succeeded

def test_it_does_not():
    assert False
"""


@pytest.fixture
def real(workshop):
    """The same with the real command."""
    (workshop.tools / "unitai").unlink()
    (workshop.tools / "unitai").symlink_to(COMMAND)
    return workshop


def test_with_the_real_command(real):
    (real.project / "test_agent.py").write_text(TEST, encoding="utf-8")
    ran = real.run({"extra-args": "-s -p no:cacheprovider", "version": "installed"})
    assert not ran.is_well
    assert "1 failed, 1 passed" in ran.log
    assert "\n::add-mask::1\n" in ran.log
    assert ran.commands == []
    assert ran.outputs == {"pass-count": "1", "fail-count": "1", "total-cost": "0.0026"}
    kept = next(reversed(ran.used.values()))["path"].split("\n")
    assert [Path(file).name for file in kept] == ["unitai.xml", "unitai.html"]
    assert all(Path(file).stat().st_size > 0 for file in kept)
    assert "test_it_does_not" in ran.summary


@pytest.mark.skipif(shutil.which("shellcheck", path=str(Path(sys.executable).parent)) is None, reason="no shellcheck")
def test_the_script_is_sound():
    program = Path(sys.executable).parent / "shellcheck"
    done = subprocess.run([program, ACTION / "entrypoint.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
