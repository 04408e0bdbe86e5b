"""The fixture `snapshot`, in real sessions of pytest."""

from __future__ import annotations

import os

import pytest
from projects import Project

pytestmark = pytest.mark.integration

PROMPT = """
def test_prompt(snapshot):
    snapshot.assert_match("You are Ada.\\nBe kind.\\n", "prompt.txt")
"""


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return made


def kept(project) -> dict[str, bytes]:
    """The snapshots that there are, by their paths."""
    return {
        path.relative_to(project.folder).as_posix(): path.read_bytes()
        for path in sorted(project.folder.rglob("*"))
        if path.is_file() and "snapshots" in path.parts
    }


PLACE = "tests/regression/snapshots/test_it/test_prompt/prompt.txt"


class TestOneSnapshot:
    @pytest.fixture(autouse=True)
    def prompt(self, project):
        project.lay(tests__regression__test_it=PROMPT)

    @pytest.mark.parametrize("ci", ["", "true"], ids=["here", "in CI"])
    def test_one_that_is_missing_fails_and_is_not_written(self, project, ci):
        done = project.pytest(CI=ci)
        assert (done.returncode, kept(project)) == (1, {})
        assert f"there is no snapshot {PLACE} [UA109]" in done.stdout
        assert "run it with --snapshot-update" in done.stdout

    def test_it_is_kept_when_asked_for_and_compared_ever_after(self, project):
        done = project.pytest("--snapshot-update")
        assert (done.returncode, kept(project)) == (0, {PLACE: b"You are Ada.\nBe kind.\n"})
        assert f"written  {PLACE}" in done.stdout
        assert "snapshots" not in project.pytest().stdout

    def test_a_difference_is_shown_line_by_line(self, project):
        project.pytest("--snapshot-update")
        project.lay(tests__regression__test_it=PROMPT.replace("kind", "brief"))
        done = project.pytest("--tb=short")
        assert done.returncode == 1
        for line in ("--- the snapshot", "+++ this run", " You are Ada.", "-Be kind.", "+Be brief."):
            assert f"E   {line}" in done.stdout
        # Nothing of ours between the test and the difference.
        assert "unitai/snapshot.py" not in done.stdout
        assert f"changed  {PLACE}" in project.pytest("--snapshot-update").stdout
        assert kept(project)[PLACE] == b"You are Ada.\nBe brief.\n"

    def test_what_has_not_changed_is_not_touched(self, project):
        project.pytest("--snapshot-update")
        os.utime(project.folder / PLACE, (1, 1))
        assert " snapshots " not in project.pytest("--snapshot-update").stdout
        assert (project.folder / PLACE).stat().st_mtime == 1

    def test_a_folder_that_cannot_be_written(self, project):
        (project.folder / "tests/regression/snapshots").write_text("a file", encoding="utf-8")
        done = project.pytest("--snapshot-update")
        assert done.returncode == 1
        assert "Error: [Errno" in done.stdout


class TestValues:
    def test_each_has_a_lasting_form(self, project):
        project.write(
            test_it="""
import dataclasses

@dataclasses.dataclass
class Route:
    to: str
    tags: tuple

def test_it(snapshot):
    snapshot.assert_match({"b": [1, 2.5, None], "a": "ä"}, "plain.json")
    snapshot.assert_match(b"\\x00\\xff", "picture.bin")
    snapshot.assert_match([Route("memory", ("x",))], "routes.json")
    snapshot.assert_match("no end", "text.txt")
"""
        )
        assert project.pytest("--snapshot-update").returncode == 0
        folder = "snapshots/test_it/test_it"
        assert kept(project) == {
            f"{folder}/plain.json": '{\n  "a": "ä",\n  "b": [\n    1,\n    2.5,\n    null\n  ]\n}\n'.encode(),
            f"{folder}/picture.bin": b"\x00\xff",
            f"{folder}/routes.json": b'[\n  {\n    "tags": [\n      "x"\n    ],\n    "to": "memory"\n  }\n]\n',
            f"{folder}/text.txt": b"no end\n",
        }
        assert project.pytest().returncode == 0

    @pytest.mark.parametrize(
        ("call", "told"),
        [
            ("assert_match('x', '../../x.txt')", "a snapshot is one file in the folder of its test"),
            ("assert_match('x', '/etc/x.txt')", "a snapshot is one file in the folder of its test"),
            ("assert_match('x', '.x')", "a snapshot is one file in the folder of its test"),
            ("assert_match('x', 7)", "a snapshot has a name"),
            ("assert_match('x', 'a'); snapshot.assert_match('y', 'a')", "cannot have one snapshot"),
            ("assert_match('x', 'a'); snapshot.assert_match('x', 'A')", "differ in capitals only"),
            ("assert_match('x', 'q?.txt')", "a snapshot has a name that every file system takes"),
            ("assert_match('x', 'con.txt')", "a snapshot has a name that every file system takes"),
            ("assert_match('x', 'x' * 121)", "expected: at most 120 bytes"),
            ("assert_match('x', '\\ud800')", "a snapshot has a name"),
        ],
    )
    def test_what_cannot_be_kept_is_refused(self, project, call, told):
        project.write(test_it=f"def test_it(snapshot):\n    snapshot.{call}\n")
        done = project.pytest("--snapshot-update")
        assert (done.returncode, told in done.stdout) == (1, True), done.stdout
        assert set(kept(project)) <= {"snapshots/test_it/test_it/a"}

    def test_the_ends_of_lines_may_be_those_of_windows(self, project):
        project.write(test_it="def test_it(snapshot):\n    snapshot.assert_match('a\\nb', 'a.txt')\n")
        project.pytest("--snapshot-update")
        (project.folder / "snapshots/test_it/test_it/a.txt").write_bytes(b"a\r\nb\r\n")
        assert project.pytest().returncode == 0

    def test_a_secret_is_never_written(self, project):
        project.write(
            test_it="import os\ndef test_it(snapshot):\n"
            "    snapshot.assert_match('the key is ' + os.environ['SHOP_TOKEN'], 'key.txt')\n"
        )
        done = project.pytest("--snapshot-update", SHOP_TOKEN="Zk3vQ8xWn2LmR7tY")
        assert (done.returncode, list(kept(project).values())) == (0, [b"the key is [redacted]\n"])
        # Another person has another key.
        assert project.pytest(SHOP_TOKEN="Qp9sD4fGh1JkL6mN").returncode == 0


class TestManyTests:
    TESTS = """
import pytest

class TestRouter:
    def test_it(self, snapshot):
        snapshot.assert_match("class", "x.txt")

@pytest.mark.parametrize("of", ["a/b", "a%2Fb", "..", ""])
def test_it(snapshot, of):
    snapshot.assert_match(of, "x.txt")
"""

    @pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "spread"])
    def test_no_two_share_one(self, project, options):
        project.write(test_it=self.TESTS, test_other=self.TESTS)
        done = project.pytest("--snapshot-update", *options)
        assert (done.returncode, len(kept(project)), done.stdout.count("written ")) == (0, 10, 10)
        assert project.pytest(*options).returncode == 0

    @pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "spread"])
    def test_what_nobody_looks_at_is_told_and_removed_only_in_an_update(self, project, options):
        project.write(test_it="def test_it(snapshot):\n    for name in 'ab': snapshot.assert_match('x', name)\n")
        project.pytest("--snapshot-update")
        project.write(test_it="def test_it(snapshot):\n    snapshot.assert_match('x', 'a')\n")
        done = project.pytest(*options)
        assert (done.returncode, len(kept(project))) == (0, 2)
        assert "unused   snapshots/test_it/test_it/b" in done.stdout
        assert "removed  snapshots/test_it/test_it/b" in project.pytest("--snapshot-update", *options).stdout
        assert list(kept(project)) == ["snapshots/test_it/test_it/a"]

    def test_of_a_test_that_did_not_come_to_its_end_nothing_is_removed(self, project):
        project.write(test_it="def test_it(snapshot):\n    for name in 'ab': snapshot.assert_match('x', name)\n")
        project.pytest("--snapshot-update")
        project.write(test_it="def test_it(snapshot):\n    snapshot.assert_match('x', 'a')\n    assert False\n")
        assert "removed" not in project.pytest("--snapshot-update").stdout
        assert len(kept(project)) == 2

    SUBTESTS = """
import os

def test_it(subtests, snapshot):
    with subtests.test("one"):
        snapshot.assert_match("1", "one.txt")
    with subtests.test("two"):
        assert "BREAK" not in os.environ
        snapshot.assert_match("2", "two.txt")
"""

    @pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "spread"])
    def test_a_test_is_over_when_all_of_its_subtests_are(self, project, options):
        pytest.importorskip("_pytest.subtests", reason="this pytest has no subtests")
        project.write(test_it=self.SUBTESTS)
        done = project.pytest("--snapshot-update", *options)
        assert (done.returncode, done.stdout.count("written ")) == (0, 2)
        assert " snapshots " not in project.pytest(*options).stdout
        done = project.pytest("--snapshot-update", *options, BREAK="yes")
        assert (done.returncode, "removed" in done.stdout, len(kept(project))) == (1, False, 2)

    LATE = """
import os, pytest

@pytest.fixture
def late(snapshot):
    yield
    assert "BREAK" not in os.environ
    snapshot.assert_match("late", "late.txt")

def test_it(late):
    pass
"""

    @pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "spread"])
    def test_fixtures_may_look_when_they_end(self, project, options):
        project.write(test_it=self.LATE)
        assert "written  snapshots/test_it/test_it/late.txt" in project.pytest("--snapshot-update", *options).stdout
        assert " snapshots " not in project.pytest(*options).stdout
        done = project.pytest("--snapshot-update", *options, BREAK="yes")
        assert (done.returncode, "removed" in done.stdout, len(kept(project))) == (1, False, 1)

    @pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "spread"])
    def test_what_belongs_to_no_test_is_told_and_left(self, project, options):
        project.write(test_it="def test_old(snapshot):\n    snapshot.assert_match('x', 'a')\n")
        project.pytest("--snapshot-update")
        project.write(test_it="def test_new(snapshot):\n    snapshot.assert_match('x', 'a')\ndef test_b(): pass\n")
        some = project.pytest("--snapshot-update", "-k", "test_new", *options)
        assert "stray" not in some.stdout, "only some tests are there"
        done = project.pytest("--snapshot-update", *options)
        assert "stray    snapshots/test_it/test_old" in done.stdout
        assert len(kept(project)) == 2

    @pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "spread"])
    def test_what_no_test_looks_at_any_more_is_told_and_left(self, project, options):
        takes = "def test_it(snapshot):\n    snapshot.assert_match('x', 'a')\n"
        project.write(test_it=takes, test_gone=takes, test_kept=takes)
        project.pytest("--snapshot-update")
        (project.folder / "test_gone.py").unlink()
        project.write(test_it="def test_it():\n    pass\n")
        # Not of a file of tests, by its name.
        (project.folder / "snapshots/other/more").mkdir(parents=True)
        (project.folder / "snapshots/other/more/data.json").write_text("{}", encoding="utf-8")
        done = project.pytest("--snapshot-update", *options)
        told = [line for line in done.stdout.splitlines() if line.startswith("stray")]
        assert told == ["stray    snapshots/test_gone", "stray    snapshots/test_it/test_it/a"]
        assert len(kept(project)) == 4
        assert "stray" not in project.pytest("--snapshot-update", "-k", "test_kept", *options).stdout


class TestTheFolder:
    """What is kept is never taken for a test."""

    def test_no_snapshot_is_collected_or_linted(self, project):
        project.lay(
            tests__test_it="""
def test_it(snapshot):
    snapshot.assert_match(">>> 1 + 1\\n3\\n", "test_prompt.txt")
    snapshot.assert_match("def test_it(): assert True", "test_code.py")
    snapshot.assert_match(b"\\xff", "test_bytes.txt")
"""
        )
        project.pytest("--snapshot-update")
        done = project.pytest()
        assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout
        assert project.unitai("lint").returncode == 0
        # Who names one wants it.
        assert project.unitai("lint", "tests/snapshots/test_it/test_it/test_code.py").returncode == 1

    def test_tests_of_a_folder_of_that_name_run(self, project):
        project.lay(
            tests__test_it="def test_it(snapshot): snapshot.assert_match('x', 'x')\n",
            tests__snapshots__test_it__test_more="def test_more(): pass\n",
            tests__snapshots__other__deep__test_other="def test_other(): pass\n",
        )
        done = project.pytest("--snapshot-update")
        assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


THEIRS = """
import pytest

@pytest.fixture(name="snapshot")
def their_fixture(): return "theirs"
"""
THEIR_OPTION = """
def pytest_addoption(parser): parser.addoption("--snapshot-update", action="store_true")
"""


class TestBesideOthers:
    @pytest.mark.parametrize("order", ["before", "after"])
    def test_the_fixture_of_another_plugin_is_its_own(self, project, order):
        project.write(
            theirs=THEIRS,
            test_it="def test_it(snapshot, unitai_snapshot):\n    assert snapshot == 'theirs'\n"
            "    unitai_snapshot.assert_match('x', 'a')\n",
        )
        # A plugin that is named is loaded before those that are installed.
        options = ("-p", "theirs") if order == "before" else ("-p", "unitai.pytest_plugin", "-p", "theirs")
        variables = {} if order == "before" else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = project.pytest(*options, "--snapshot-update", **variables)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_what_is_told_names_our_option(self, project):
        project.write(
            theirs=THEIRS + THEIR_OPTION,
            test_it="def test_it(unitai_snapshot):\n    unitai_snapshot.assert_match('x', 'a')\n",
        )
        done = project.pytest("-p", "theirs")
        assert "run it with --unitai-snapshot-update, and" in done.stdout
        assert project.pytest("-p", "theirs", "--unitai-snapshot-update").returncode == 0
        (project.folder / "snapshots/test_it/test_it/b").write_text("left", encoding="utf-8")
        assert ": --unitai-snapshot-update removes it." in project.pytest("-p", "theirs").stdout


def test_a_fixture_of_the_project_of_that_name_stays(project):
    project.write(
        conftest="import pytest\n@pytest.fixture\ndef snapshot(): return 'theirs'\n",
        test_it="def test_it(snapshot, unitai_snapshot):\n    assert snapshot == 'theirs'\n"
        "    unitai_snapshot.assert_match('x', 'a')\n",
    )
    assert project.pytest("--snapshot-update").returncode == 0
    assert project.pytest().returncode == 0


def test_a_session_without_snapshots_loads_nothing_of_them(project):
    project.write(test_it="import sys\ndef test_it(): assert 'unitai.pytest_plugin.snapshots' not in sys.modules\n")
    assert project.pytest().returncode == 0
