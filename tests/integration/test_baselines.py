"""Baselines in a real pytest and by the command: saved, compared, in one process and in several."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from projects import clean_environment

from unitai import Baseline

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"

# Each test passes so many of twenty runs as the environment says.
SUITE = """
import itertools, os, threading
import pytest
from unitai import statistical

turns = {}
lock = threading.Lock()

def turn(name):
    with lock:
        return next(turns.setdefault(name, itertools.count()))

def does(name, rate=20):
    assert turn(name) < int(os.environ.get(name, rate)), os.environ.get("WHY", "no refund")

@pytest.mark.unitai_statistical(n=20, threshold=0.4)
def test_a():
    does("A")

@statistical(n=20, threshold=0.4)
def test_b(mock_toolkit):
    does("B", 10)

@pytest.mark.unitai_statistical(n=20, threshold=0.4)
@pytest.mark.parametrize("language", ["en", "de"])
def test_c(language):
    does("C" + language)

def test_once():
    pass
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nfilterwarnings = ignore::unitai.StatisticsWarning\n", encoding="utf-8"
    )
    (tmp_path / "test_shop.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


def run(folder, *args, command=(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"), **environment):
    return subprocess.run(
        [*command, *args], cwd=folder, capture_output=True, text=True, check=False, env=clean_environment(**environment)
    )


def kept(folder, name="main"):
    return Baseline.load(folder / "tests" / "baselines" / f"{name}.json").tests


def counts(folder):
    return {test.partition("::")[2]: sample.counts for test, sample in kept(folder).items()}


def test_a_suite_is_saved_and_compared(project):
    saved = run(project, "--unitai-save-baseline=main")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert "4 tests saved as baseline main" in saved.stdout
    # All runs were done, though eight settle each of them.
    assert counts(project) == {"test_a": (20, 0), "test_b": (10, 10), "test_c[en]": (20, 0), "test_c[de]": (20, 0)}
    assert {sample.mode for sample in kept(project).values()} == {"all"}

    same = run(project, "--unitai-baseline=main")
    assert same.returncode == 0, same.stdout
    assert "4 tests without evidence of a change" in same.stdout
    assert "compared with baseline main of " in same.stdout

    changed = run(project, "--unitai-baseline=main", A="9", B="20", WHY="paid twice")
    assert changed.returncode == 1, changed.stdout
    assert "5 passed" in changed.stdout
    lines = changed.stdout.splitlines()
    worse = next(line for line in lines if line.startswith("regressed: "))
    assert worse.startswith("regressed: test_shop.py::test_a: 20/20 (100.0%) before, 9/20 (45.0%) now (p = ")
    assert lines[lines.index(worse) + 1] == "  new: 11x paid twice"
    assert "improved: test_shop.py::test_b: 10/20 (50.0%) before, 20/20 (100.0%) now (p = " in changed.stdout
    assert "2 tests without evidence of a change" in changed.stdout
    assert "1 test regressed: the run fails, although every test passed" in lines
    # Nothing was asked to be saved.
    assert counts(project)["test_a"] == (20, 0)


@pytest.mark.parametrize("mode", ["early", "sequential"])
def test_all_runs_are_done_whatever_the_project_says(project, mode):
    done = run(project, "--unitai-save-baseline=main", UNITAI_DEFAULT_MODE=mode)
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts(project)["test_a"] == (20, 0)
    assert {sample.mode for sample in kept(project).values()} == {"all"}


def test_a_part_of_a_suite_is_compared_and_saved(project):
    assert run(project, "--unitai-save-baseline=main").returncode == 0
    before = kept(project)
    part = run(project, "-k", "test_a", "--unitai-baseline=main", "--unitai-save-baseline=main", A="19")
    assert part.returncode == 0, part.stdout
    assert "1 test without evidence of a change" in part.stdout
    assert "3 tests of the baseline did not run" in part.stdout
    assert "1 test saved as baseline main" in part.stdout
    assert "gone" not in part.stdout
    after = kept(project)
    assert after.pop("test_shop.py::test_a").counts == (19, 1)
    assert before.pop("test_shop.py::test_a").counts == (20, 0)
    assert after == before


def test_tests_that_are_new_and_tests_that_are_gone_are_told(project):
    (project / "test_more.py").write_text(SUITE.replace("test_a", "test_x"), encoding="utf-8")
    assert run(project, "--unitai-save-baseline=main").returncode == 0
    (project / "test_more.py").unlink()
    (project / "test_shop.py").write_text(SUITE.replace("test_a", "test_y"), encoding="utf-8")
    done = run(project, "--unitai-baseline=main")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert "new, not in the baseline: test_shop.py::test_y" in lines
    assert [line for line in lines if line.startswith("gone")] == [
        f"gone, only in the baseline: {test}"
        for test in (
            "test_more.py::test_b",
            "test_more.py::test_c[de]",
            "test_more.py::test_c[en]",
            "test_more.py::test_x",
            "test_shop.py::test_a",
        )
    ]
    assert "did not run" not in done.stdout
    # Whoever asks for one test has not looked for the others.
    one = run(project, "test_shop.py::test_b", "--unitai-baseline=main")
    assert "gone, only in the baseline: test_shop.py::test_a" not in one.stdout


def test_several_processes_do_the_same(project):
    """In few runs, because pytest-xdist takes its time to begin."""
    (project / "test_more.py").write_text(SUITE, encoding="utf-8")
    saved = run(project, "-n2", "--unitai-save-baseline=main")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert "8 tests saved as baseline main" in saved.stdout
    assert counts(project) == {"test_a": (20, 0), "test_b": (10, 10), "test_c[en]": (20, 0), "test_c[de]": (20, 0)}
    assert {sample.mode for sample in kept(project).values()} == {"all"}

    (project / "test_more.py").unlink()
    (project / "test_shop.py").write_text(SUITE.replace("test_c", "test_y"), encoding="utf-8")
    options = ("-n2", "-k", "not b", "--unitai-baseline=main", "--unitai-save-baseline=main")
    changed = run(project, *options, A="9", WHY="paid twice")
    assert changed.returncode == 1, changed.stdout
    assert "4 passed" in changed.stdout
    block = changed.stdout[changed.stdout.index("regressed: ") :].splitlines()
    assert block[0].startswith("regressed: test_shop.py::test_a: 20/20 (100.0%) before, 9/20 (45.0%) now (p = ")
    assert block[1:-1] == [
        "  new: 11x paid twice",
        "new, not in the baseline: test_shop.py::test_y[de]",
        "new, not in the baseline: test_shop.py::test_y[en]",
        *(f"gone, only in the baseline: test_more.py::test_{test}" for test in ("a", "b", "c[de]", "c[en]")),
        *(f"gone, only in the baseline: test_shop.py::test_{test}" for test in ("c[de]", "c[en]")),
        "1 test of the baseline did not run",
        "1 test regressed: the run fails, although every test passed",
        "3 tests saved as baseline main",
    ]
    assert kept(project)["test_shop.py::test_a"].counts == (9, 11)
    assert len(kept(project)) == 10


def test_a_test_that_is_sequential_in_so_many_words_stays_so(project):
    (project / "test_shop.py").write_text(
        SUITE.replace("n=20, threshold=0.4)\ndef test_a", "n=20, threshold=0.5, mode='sequential')\ndef test_a")
    )
    assert run(project, "-k", "test_a", "--unitai-save-baseline=main").returncode == 0
    (sample,) = kept(project).values()
    assert sample.mode == "sequential" and sample.n < 20
    done = run(project, "-k", "test_a", "--unitai-baseline=main", A="0")
    assert done.returncode == 1
    assert "  approximate: runs were stopped early" in done.stdout


def test_without_the_options_a_project_may_settle_early(project):
    done = run(project, "-k", "test_a", "--junitxml=out.xml", UNITAI_DEFAULT_MODE="early")
    assert done.returncode == 0
    text = (project / "out.xml").read_text(encoding="utf-8")
    assert 'name="unitai.passed" value="8"' in text
    assert not (project / ".unitai").exists()


def test_a_test_that_came_to_nothing_is_not_saved_over_one_that_did(project):
    assert run(project, "-k", "test_a", "--unitai-save-baseline=main").returncode == 0
    (project / "test_shop.py").write_text(
        SUITE.replace('    does("A")', '    raise ConnectionError("down")').replace(
            "n=20, threshold=0.4)\ndef test_a", "n=20, threshold=0.4, retries=0)\ndef test_a"
        )
    )
    done = run(project, "-k", "test_a", "--unitai-baseline=main", "--unitai-save-baseline=main")
    assert done.returncode == 1
    assert "1 test without a run that counts: not saved" in done.stdout
    assert "nothing to save as baseline main" in done.stdout
    assert counts(project) == {"test_a": (20, 0)}


def test_a_suite_whose_tests_fail_is_measured_to_its_end(project):
    assert run(project, "test", "--save-baseline", "main", command=(COMMAND,)).returncode == 0
    done = run(project, "test", "--baseline", "main", command=(COMMAND,), A="0", B="0")
    assert done.returncode == 1
    assert "2 failed, 3 passed" in done.stdout
    assert "2 tests regressed: the run fails\n" in done.stdout


def test_the_command_saves_and_compares(project):
    saved = run(project, "test", "--save-baseline", "main", "-k", "test_a", command=(COMMAND,))
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert counts(project) == {"test_a": (20, 0)}
    worse = run(project, "test", "--baseline=main", "-k", "test_a", command=(COMMAND,), A="9")
    assert worse.returncode == 1
    assert "regressed: test_shop.py::test_a" in worse.stdout
    told = run(project, "test", "--help", command=(COMMAND,)).stdout
    assert "unitai test --baseline main" in told and "--save-baseline <NAME>" in told


def test_a_path_from_where_pytest_is_started(project):
    deep = project / "deep"
    deep.mkdir()
    saved = run(deep, "..", "-k", "test_a", "--unitai-save-baseline=kept.json")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert json.loads((deep / "kept.json").read_text(encoding="utf-8"))["tests"]["test_shop.py::test_a"]["passed"] == 20
    assert run(deep, "..", "-k", "test_a", "--unitai-baseline=kept.json").returncode == 0
    named = run(deep, "..", "-k", "test_a", "--unitai-save-baseline=main")
    assert named.returncode == 0
    assert counts(project) == {"test_a": (20, 0)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--unitai-baseline=main"], ["--unitai-baseline: there is no baseline main", "--save-baseline main"]),
        (["--unitai-baseline=feature/x"], ["cannot be the name of a baseline", "as in feature-x"]),
        (["--unitai-baseline="], ["cannot be the name of a baseline"]),
        (["--unitai-save-baseline=../x"], ["--unitai-save-baseline: ", "cannot be the name of a baseline"]),
        (["--unitai-baseline=bad.json"], ["bad.json cannot be read", "not a baseline", "delete it"]),
        (["--unitai-save-baseline=bad.json"], ["bad.json cannot be read", "not a baseline", "delete it"]),
        (["--unitai-baseline=new.json"], ["version 7", "upgrade UnitAI"]),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_runs(project, options, said):
    (project / "bad.json").write_text("{", encoding="utf-8")
    (project / "new.json").write_text('{"format": "unitai.baseline", "version": 7}', encoding="utf-8")
    done = run(project, *options)
    assert done.returncode == 4, done.stdout + done.stderr
    assert [text for text in said if text not in done.stderr] == []
    assert "Traceback" not in done.stderr


def test_a_baseline_that_cannot_be_saved_in_the_end_fails_the_run(project):
    (project / "file").write_text("", encoding="utf-8")
    done = run(project, "-k", "test_a", "--unitai-save-baseline=file/main.json")
    assert done.returncode == 1
    assert "main.json cannot be" in done.stdout
    assert "INTERNALERROR" not in done.stdout


def test_a_list_of_tests_is_neither_compared_nor_saved(project):
    done = run(project, "--collect-only", "--unitai-save-baseline=main")
    assert done.returncode == 0
    assert "baseline" not in done.stdout
    assert not (project / ".unitai").exists()


def test_a_suite_without_repeated_tests_says_so(project):
    (project / "test_shop.py").write_text("def test_once():\n    pass\n", encoding="utf-8")
    done = run(project, "--unitai-save-baseline=main")
    assert done.returncode == 0
    assert "nothing to save as baseline main: no repeated test came to a result" in done.stdout
