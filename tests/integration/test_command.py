"""The installed `unitai` command."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from importlib.metadata import entry_points, files, requires, version
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"


def unitai(*args: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *args], capture_output=True, text=True, check=False, **more)


def _work_of_children() -> float:
    """Seconds that ended children were at work: what else the machine does meanwhile is not theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_the_demo_shows_a_pass_and_a_failure_within_five_seconds(tmp_path):
    before = _work_of_children()
    done = unitai("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _work_of_children() - before < 5
    assert "3 passed" in done.stdout
    assert "1 failed" in done.stdout
    assert '> 1. [tool_call] process_refund(order_id="123", amount=49.99)' in done.stdout
    assert list(tmp_path.iterdir()) == []
    assert "\x1b" not in done.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A demo that keeps its files, within a project whose own pytest settings would break it."""
    project = tmp_path_factory.mktemp("project")
    (project / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    return unitai("demo", "--keep", "here", cwd=project), project / "here"


def test_the_demo_leaves_its_files_if_asked(kept):
    _, folder = kept
    assert {path.name for path in folder.glob("*.py")} == {
        "refund_agent.py",
        "test_refund.py",
        "failing_refund.py",
    }


def test_the_demo_is_not_disturbed_by_the_project_around_it(kept):
    done, _ = kept
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_demo_never_writes_over_a_file_that_somebody_changed(tmp_path):
    mine = tmp_path / "test_refund.py"
    mine.write_text("# mine\n", encoding="utf-8")
    done = unitai("demo", "--keep", str(tmp_path))
    assert done.returncode == 2
    assert "test_refund.py is there already" in done.stderr
    assert mine.read_text(encoding="utf-8") == "# mine\n"


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = unitai("demo", "--keep", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "error: the demo could not run in" in done.stderr


def test_help_and_version():
    ours = re.escape(version("unitai"))
    assert re.fullmatch(rf"unitai {ours} \(engine {ours}, prices of 20\d\d-\d\d-\d\d\)\n", unitai("--version").stdout)
    assert "unitai demo --keep here" in unitai("demo", "--help").stdout
    assert "Example" in unitai("--help").stdout


@pytest.mark.parametrize("args", [[], ["unheard-of"], ["demo", "--unheard-of"]])
def test_wrong_usage_exits_with_2(args):
    assert unitai(*args).returncode == 2


def test_without_pytest_the_demo_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['pytest'] = None; from unitai.cli import main; main.find_spec = lambda name: None; sys.exit(main.main(['demo']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pytest is not installed [UA304]" in done.stderr
    assert "pip install pytest" in done.stderr


def test_the_package_needs_no_other_package():
    assert [need for need in requires("unitai") or [] if "extra ==" not in need] == []


def test_the_wheel_holds_types_and_nothing_that_runs_by_itself():
    names = [str(path) for path in files("unitai")]
    if any(name.endswith("direct_url.json") for name in names) and not any(name.endswith("py.typed") for name in names):
        pytest.skip("an editable install has no files of its own")
    assert any(name.endswith("unitai/py.typed") for name in names)
    assert any(name.endswith("unitai/_engine.pyi") for name in names)
    assert not [name for name in names if name.endswith(".pth")]


def test_the_plugin_is_registered():
    assert [found.value for found in entry_points(group="pytest11") if found.name == "unitai"] == [
        "unitai.pytest_plugin"
    ]


REPEATED = """
from unitai import statistical

runs = []

@statistical
def test_it():
    runs.append(1)

def test_after():
    print("RUNS", len(runs), "OF", test_it.pytestmark[0].kwargs)

@statistical(n=3, threshold=0.5)
def test_that_says_it_itself():
    runs.append(1)

def test_at_the_end():
    print("THEN", len(runs))
"""


@pytest.mark.parametrize(
    "order", [("--n", "20", "--threshold=0.5", "-s"), ("test_it.py", "-s", "--n=20", "--threshold", "0.5")]
)
def test_options_say_how_often_tests_are_repeated_that_do_not_say_it_themselves(tmp_path, order):
    (tmp_path / "test_it.py").write_text(REPEATED, encoding="utf-8")
    done = unitai("test", *order, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RUNS 20" in done.stdout
    assert "THEN 23" in done.stdout


def test_what_an_option_cannot_be_is_told(tmp_path):
    (tmp_path / "test_it.py").write_text(REPEATED, encoding="utf-8")
    done = unitai("test", "--n", "many", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: the option --n: it is `many`; expected a whole number of at least 1" in done.stderr
