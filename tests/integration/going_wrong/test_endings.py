"""Ctrl-C, wherever it strikes: exit code 2, whole reports, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from processes import soon
from projects import COMMAND, Project
from ways import tracebacks_of_ours

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
]

HEAD = "import os, pathlib, pytest, time\ndef begun():\n    pathlib.Path('begun').write_text(str(os.getpid()))\n"

SUITES = {
    "looking for tests": ("begun()\ntime.sleep(60)\n", set()),
    "a fixture": ("@pytest.fixture\ndef f():\n    begun()\n    time.sleep(60)\ndef test_a(f): pass\n", {"test_a"}),
    "a repeated test": (
        "@pytest.mark.unitai_statistical(n=50, threshold=0.5)\ndef test_a():\n    begun()\n    time.sleep(60)\n",
        {"test_a"},
    ),
    "a run of an agent": (
        "def agent():\n    begun()\n    time.sleep(60)\n"
        "def test_a(mock_toolkit):\n    mock_toolkit.run_generic(agent)\n",
        {"test_a"},
    ),
    "a teardown": (
        "@pytest.fixture\ndef f():\n    yield\n    begun()\n    time.sleep(60)\ndef test_a(f): pass\n",
        {"test_a"},
    ),
    "the end of all": (
        "@pytest.fixture(scope='session')\ndef f():\n    yield\n    begun()\n    time.sleep(60)\ndef test_a(f): pass\n",
        {"test_a"},
    ),
}


def waited(project: Project) -> int:
    """Waits until the process of the tests is where it is to be met; gives its id."""
    path = project.folder / "begun"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text:
            return int(text)
        time.sleep(0.02)
    raise TimeoutError("the tests did not begin")


@pytest.fixture
def heeded():
    """Lets what is started heed Ctrl-C also where these tests do not: in a shell's background, for one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def is_there(process: int) -> bool:
    """Whether a process is alive; one that ended and was not fetched is not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("where", SUITES)
def test_in_the_middle_of(where, tmp_path):
    project = Project(tmp_path)
    suite, names = SUITES[where]
    project.write(test_it=HEAD + suite)
    run = project.start("test")
    process = waited(project)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate(timeout=60)
    assert run.returncode == 2, stdout + stderr
    assert tracebacks_of_ours(stdout + stderr) == []
    assert "=== UnitAI Results ===" in stdout and "The run was interrupted" in stdout
    assert (project.events[-1]["event"], project.events[-1]["ending"]) == ("run_finished", "interrupted")
    cases = {case.get("name") for case in ElementTree.parse(project.junit).iter("testcase")}
    assert names <= cases
    assert project.unitai("results").returncode == 1
    assert not is_there(process)


def test_with_workers(tmp_path):
    project = Project(tmp_path)
    project.write(test_it=HEAD + "def test_a():\n    begun()\n    time.sleep(60)\n")
    run = project.start("test", "-n", "1")
    process = waited(project)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate(timeout=60)
    assert run.returncode == 2, stdout + stderr
    assert tracebacks_of_ours(stdout + stderr) == []
    assert project.events[-1]["ending"] == "interrupted"
    assert "=== UnitAI Results ===" in stdout and project.junit.exists()
    assert soon(lambda: not is_there(process), 10)


def test_who_asks_twice_does_not_wait(tmp_path):
    """A test that does not heed the first one is ended by the second, and the reports are made all the same."""
    project = Project(tmp_path)
    project.write(
        test_it=HEAD + "import signal\ndef test_a():\n    signal.signal(signal.SIGINT, lambda *_: begun())\n"
        "    begun()\n    time.sleep(60)\n    time.sleep(60)\n"
    )
    run = project.start("test")
    process = waited(project)
    (tmp_path / "begun").unlink()
    run.send_signal(signal.SIGINT)
    waited(project)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate(timeout=30)
    assert run.returncode == 2, stdout + stderr
    assert "ended by signal 9" in stderr and "1 error in" in stdout
    assert (project.events[-1]["ending"], project.junit.exists()) == ("crashed", True)
    assert not is_there(process)


@pytest.mark.usefixtures("heeded")
def test_plain_pytest_with_reports(tmp_path):
    project = Project(tmp_path)
    project.write(test_it=HEAD + "def test_a():\n    begun()\n    time.sleep(60)\n")
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--unitai"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=project.environment(),
    )  # fmt: skip
    waited(project)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate(timeout=60)
    assert (run.returncode, stderr) == (2, ""), stdout
    assert project.events[-1]["ending"] == "interrupted" and project.junit.exists()


def test_a_command_that_is_killed_leaves_what_happened(tmp_path):
    """Nobody could write an end; what there is is not taken for a good one."""
    project = Project(tmp_path)
    project.write(test_it=HEAD + "def test_a(): pass\ndef test_b():\n    begun()\n    time.sleep(60)\n")
    run = subprocess.Popen([COMMAND, "test"], cwd=tmp_path, stdout=subprocess.DEVNULL, env=project.environment())
    process = waited(project)
    os.kill(process, signal.SIGKILL)
    run.kill()
    run.wait(timeout=30)
    done = project.unitai("results")
    assert done.returncode == 1
    assert "1 passed, 1 error" in done.stdout and "did not come to its end" in done.stdout
