"""Surroundings that are not as they should be: disks that are full, locales without Unicode, programs that are missing."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from projects import COMMAND, Project
from ways import PASSING, Way, assert_trouble

pytestmark = pytest.mark.integration

FAILING = "def test_it():\n    assert 0\n"
REPEATED = "import pytest\n@pytest.mark.unitai_statistical(n=3, threshold=0.5)\ndef test_it():\n    pass\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
class TestFullDisks:
    """What cannot be written is said, and a run whose reports are missing is not 0."""

    @pytest.mark.parametrize(
        ("variables", "said"),
        [
            ({"GITHUB_STEP_SUMMARY": "/dev/full"}, ("the summary for GitHub", "GITHUB_STEP_SUMMARY names another")),
            ({"UNITAI_JUNIT_XML": "/dev/full"}, ("the JUnit file", "the setting `junit_xml` names another")),
        ],
        ids=["summary", "junit"],
    )
    def test_a_report(self, variables, said, tmp_path):
        Way("full", ("test",), 2, ("No space left on device", "1 passed", *said), {"test_it.py": PASSING},
            variables=variables).check(tmp_path)  # fmt: skip

    def test_a_baseline(self, tmp_path):
        (tmp_path / "main.json").symlink_to("/dev/full")
        words = ("test", "--save-baseline", "main.json")
        Way("full", words, 2, ("main.json cannot be read", "to do:"), {"test_it.py": REPEATED}).check(tmp_path)

    @pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of that kind")
    def test_everything(self, tmp_path):
        """No file may grow beyond a few blocks: neither events, nor JUnit, nor anything of pytest."""
        project = Project(tmp_path)
        project.write(test_it="import pytest\n@pytest.mark.parametrize('n', range(300))\ndef test_it(n):\n    pass\n")
        done = subprocess.run(
            ["sh", "-c", f'trap "" XFSZ; ulimit -f 8; exec "{COMMAND}" test -p no:cacheprovider'], cwd=tmp_path,
            capture_output=True, text=True, check=False, timeout=120,
            env=project.environment(PYTHONDONTWRITEBYTECODE="1"),
        )  # fmt: skip
        assert_trouble(done, 2, "300 passed", "the run events are not complete: [Errno 27] File too large")


def test_a_summary_that_is_a_folder(tmp_path):
    said = ("1 passed", "the summary for GitHub could not be written", "GITHUB_STEP_SUMMARY names another")
    Way("folder", ("test",), 2, said, {"test_it.py": PASSING}, variables={"GITHUB_STEP_SUMMARY": str(tmp_path)}).check(
        tmp_path
    )


@pytest.mark.parametrize(
    "variables",
    [{"TERM": "dumb", "NO_COLOR": "1"}, {"PATH": ""}, {"HOME": "/no/such", "TMPDIR": "/no/such"}, {"CI": "true"}],
    ids=str,
)
def test_an_environment_that_lacks_something_still_runs_tests(variables, tmp_path):
    done = Way("lacking", ("test",), 1, ("1 failed", "=== UnitAI Results ==="), {"test_it.py": FAILING},
               variables=variables).check(tmp_path)  # fmt: skip
    assert "\x1b" not in done.stdout


def test_without_pytest_it_is_said_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['pytest'] = None; from unitai.cli import main; "
        "main.find_spec = lambda name: None; sys.exit(main.main(['test']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert_trouble(done, 2, "pytest is not installed [UA304]", "pip install pytest")


UNICODE = """
import pytest
from unitai import MockToolkit

@pytest.mark.parametrize("text", ["é", "日本", "😀", "\\udc80"])
def test_%s(text):
    print("printed", text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    toolkit = MockToolkit()
    toolkit.mock("grüße", return_value="schön 😀")
    result = toolkit.run_generic(lambda: toolkit.get_tool("grüße")())
    assert result.output == "ß日本"
"""

LOCALES = {
    "C": {"LC_ALL": "C"},
    "POSIX, Latin-1": {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1"},
    "nothing but ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "none": {"LC_ALL": "", "LANG": ""},
}


@pytest.mark.parametrize("name", LOCALES)
def test_a_locale_without_unicode_loses_nothing(name, tmp_path):
    project = Project(tmp_path)
    # Pytest itself cannot name a test in the environment where all is ASCII.
    word = "text" if name == "nothing but ASCII" else "größe"
    project.write(test_it=UNICODE % word)
    done = project.unitai("test", "--keep-going", **LOCALES[name])
    assert_trouble(done, 1, "4 failed", "=== UnitAI Results ===")
    ended = [event for event in project.events if event["event"] == "test_finished"]
    assert all(f"test_{word}" in event["test"] for event in ended) and len(ended) == 4
    assert all("ß日本" in event["failures"][0]["text"] for event in ended)
    assert any("printed 😀" in part["text"] for event in ended for part in event["captured"])
    xml = ElementTree.parse(project.junit).getroot()
    assert any("printed 日本" in (text or "") for text in xml.itertext())
    results = project.unitai("results", **LOCALES[name])
    assert results.returncode == 1 and f"test_{word}" in results.stdout and "4 failed" in results.stdout
    assert project.unitai("report", **LOCALES[name]).returncode == 0
    assert "grüße" in (tmp_path / "test-results" / "unitai.html").read_text(encoding="utf-8")


def test_ids_that_nobody_would_write(tmp_path):
    project = Project(tmp_path)
    ids = ["\ud800", "a\nb", "\x1b[31mred", "a::b", "\x00", "<b>", "x" * 20_000, "../../etc"]
    project.write(
        test_it=f"import pytest\n@pytest.mark.parametrize('n', {ids!a}, ids=lambda text: text)\n"
        "def test_it(n):\n    assert 0, n\n"
    )
    done = project.unitai("test", "--keep-going")
    assert_trouble(done, 1, f"{len(ids)} failed")
    cases = list(ElementTree.parse(project.junit).iter("testcase"))
    assert len(cases) == len(ids)
    for words in (("results",), ("results", "test-results/unitai.xml")):
        shown = project.unitai(*words)
        assert_trouble(shown, 1, f"{len(ids)} failed")
        assert "\x1b" not in shown.stdout


def test_ten_thousand_tests_are_told_one_by_one(tmp_path):
    project = Project(tmp_path)
    project.write(
        test_it="import pytest\n@pytest.mark.parametrize('n', range(10_000))\ndef test_it(n):\n    assert n != 9_999\n"
    )
    assert_trouble(project.unitai("test", "--keep-going"), 1, "9999 passed, 1 failed")
    assert len(list(ElementTree.parse(project.junit).iter("testcase"))) == 10_000
