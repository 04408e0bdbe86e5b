"""What pytest makes of YAML tests: which files it takes, what they are called, and what each ending is. The engine is
scripted here.
"""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ET

import pytest
from keys import made_up
from projects import SUPPORT, Project
from scripted_yaml import CONFTEST

pytestmark = pytest.mark.integration


class Yaml(Project):
    """A project with YAML tests in `tests/llm`."""

    def test(self, path: str, name: str = "it", tags: tuple[str, ...] = (), **script: object) -> None:
        """Writes a test that comes to what the script says."""
        said = {"test": {"name": name, "tags": list(tags)}, "steps": [], "verdict": "checks"}
        cases = script.pop("cases", None)
        self.file(path, json.dumps({**said, "vars": script, **({"cases": cases} if cases else {})}))

    def file(self, path: str, text: str) -> None:
        """Writes a file under `tests/llm`."""
        file = self.folder / "tests" / "llm" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(self, *args: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest with `--llm`."""
        return self.pytest("--llm", *args, **variables)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pyproject.toml").write_text("")
    return Yaml(tmp_path)


STEPS = [
    {"name": "begin", "status": "pass"},
    {"name": "look", "status": "fail", "details": "500 is not 200\nsaid the server", "line": 7},
    {"name": "inner", "status": "skip", "details": "depends on look", "path": "steps[1]#1.steps[0]"},
]


class TestEndings:
    def test_pass_passes(self, project):
        project.test("a.yaml")
        done = project.run("-v")
        assert done.returncode == 0, done.stdout
        assert "tests/llm/a.yaml::it PASSED" in done.stdout

    def test_fail_fails_with_reason_steps_issues_and_places(self, project):
        project.test("a.yaml", word="FAIL", reason="no health", steps=STEPS, issues=["one", "two\nlines"])
        done = project.run("-ra")
        assert done.returncode == 1
        shown = done.stdout[done.stdout.index("FAIL: no health") :]
        assert shown.startswith(
            "FAIL: no health\n\n  ✓ begin\n  ✗ look\n      500 is not 200\n      said the server\n"
            "      tests/llm/a.yaml:7\n    ○ inner\n        depends on look\n\n"
            "  issues:\n    - one\n    - two\n      lines\n"
        )
        assert "FAILED tests/llm/a.yaml::it - FAIL: no health" in done.stdout
        assert "Traceback" not in done.stdout

    def test_what_a_step_says_of_itself_is_no_issue_once_more(self, project):
        issues = ["look (steps[1]): 500 is not 200\nsaid the server", "one"]
        project.test("a.yaml", word="FAIL", reason="no health", steps=STEPS, issues=issues)
        done = project.run()
        assert "  issues:\n    - one\n" in done.stdout
        assert done.stdout.count("500 is not 200") == 1

    def test_marks_are_plain_where_the_terminal_has_no_others(self, project):
        project.test("a.yaml", word="FAIL", steps=STEPS)
        done = project.run(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert "  + begin\n  x look\n" in done.stdout
        assert "    - inner\n" in done.stdout
        assert (
            "  + begin\n  x look: 500" in project.run("--llm-verbose", PYTHONIOENCODING="ascii", PYTHONUTF8="0").stdout
        )

    def test_unclear_is_a_skip_that_is_said_aloud(self, project):
        project.test("a.yaml", word="UNCLEAR", reason="nobody to ask")
        project.test("b.yaml", word="UNCLEAR", reason="nobody to ask")
        project.test("c.yaml")
        done = project.run("-rs")
        assert done.returncode == 0
        assert "SKIPPED [1] tests/llm/a.yaml:1: Unclear: nobody to ask" in done.stdout
        assert "2 YAML tests are unclear and count as skipped; with --llm-unclear=fail they fail" in done.stdout
        assert "1 passed, 2 skipped" in done.stdout

    def test_unclear_fails_on_demand(self, project):
        project.test("a.yaml", word="UNCLEAR", reason="nobody to ask")
        done = project.run("--llm-unclear=fail")
        assert done.returncode == 1
        assert "UNCLEAR: nobody to ask" in done.stdout
        assert "count as skipped" not in done.stdout

    def test_an_error_is_a_failure_of_its_own_kind(self, project):
        project.test("a.yaml", word="ERROR", reason="server shop did not start", steps=STEPS[:1])
        done = project.run("-ra")
        assert done.returncode == 1
        assert "ERROR: server shop did not start [UA315]\n" in done.stdout
        assert "\n\n  ✓ begin\n" in done.stdout
        assert "FAILED tests/llm/a.yaml::it - ERROR: server shop did not start" in done.stdout

    def test_an_interruption_ends_the_session(self, project):
        project.test("a.yaml", interrupt=True)
        assert project.run().returncode == 2
        project.test("a.yaml", word="STOPPED")
        assert project.run().returncode == 2

    def test_warnings_are_shown(self, project):
        project.test("a.yaml", warnings=["teardown failed"])
        done = project.run()
        assert "LLMTestWarning: teardown failed" in done.stdout

    def test_no_secret_is_shown(self, project):
        secret = made_up()["OPENAI_API_KEY"]
        project.test("a.yaml", word="FAIL", reason=f"token {secret}", steps=[{**STEPS[1], "details": secret}])
        done = project.run("--llm-verbose")
        assert secret not in done.stdout


class TestFiles:
    def test_nothing_happens_without_the_option(self, project):
        project.test("a.yaml")
        done = project.pytest()
        assert done.returncode == 5
        assert "--llm" not in done.stdout

    def test_who_names_a_file_without_the_option_is_told(self, project):
        project.test("a.yaml")
        done = project.pytest("tests/llm/a.yaml")
        assert done.returncode in (4, 5)
        assert "YAML tests are run with --llm" in done.stdout
        project.write(test_it="def test_it(): pass")
        assert "--llm" not in project.pytest("test_it.py").stdout

    def test_a_failed_step_of_an_included_file_is_told_there(self, project):
        step = {"name": "look", "status": "fail", "details": "no", "file": "tests/llm/common.yaml", "line": 7}
        project.test("a.yaml", word="FAIL", reason="no", steps=[step])
        assert "\ntests/llm/common.yaml:7: " in project.run("--tb=line").stdout

    def test_both_endings_are_taken_in_any_folder_named_llm(self, project):
        project.test("a.yml")
        project.test("deep/er/b.yaml")
        project.test("../other/c.yaml")
        done = project.run("-v")
        assert re.findall(r"^(\S+)::it PASSED", done.stdout, re.MULTILINE) == [
            "tests/llm/a.yml",
            "tests/llm/deep/er/b.yaml",
        ]

    def test_a_file_that_is_named_is_taken_anywhere(self, project):
        project.test("../other/c.yaml")
        assert "1 passed" in project.run("tests/other/c.yaml").stdout
        assert "1 passed" in project.run("tests/other/c.yaml::it").stdout

    def test_what_is_no_test_is_left_out_with_a_note(self, project):
        project.test("a.yaml")
        project.file("data.yaml", '{"users": []}')
        project.file("common.yaml", '{"steps": []}')
        project.file("notes.yaml", "{ no")
        done = project.run("-v")
        assert "1 passed" in done.stdout
        for name in ("data", "common", "notes"):
            assert f"not a YAML test: tests/llm/{name}.yaml has less than two of the keys" in done.stdout
        assert "not a YAML test" not in project.run().stdout

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("test_it.yaml", "{"),
            ("it_test.yml", '{"users": []}'),
            ("almost.yaml", '{"test": {"name": "x"}, "steps": [], "verdcit": "checks"}'),
            ("full.yaml", '{"test": {"name": "x"}, "steps": [], "verdict": "checks", "stpes": []}'),
        ],
    )
    def test_a_test_with_a_slip_is_a_collection_error(self, project, path, text):
        project.file(path, text)
        project.test("good.yaml")
        done = project.run()
        assert done.returncode == 2
        assert f"tests/llm/{path}:1:" in done.stdout
        assert "Traceback" not in done.stdout

    @pytest.mark.parametrize("folder", ["plugins", "fixtures", "judge-cases"])
    def test_folders_of_other_things_are_left_alone(self, project, folder):
        project.file(f"{folder}/test_it.yaml", "{")
        project.test("good.yaml")
        done = project.run()
        assert "1 passed" in done.stdout
        assert "error" not in done.stdout

    def test_a_file_that_is_not_text_is_told(self, project):
        project.file("test_it.yaml", "")
        (project.folder / "tests/llm/test_it.yaml").write_bytes(b"name: x\ncaf\xe9: 1\n")
        done = project.run()
        assert "tests/llm/test_it.yaml:2:4: the file is not UTF-8: byte 0xe9 begins no character" in done.stdout
        assert "save it as UTF-8" in done.stdout

    def test_what_should_be_looked_at_is_a_warning(self, project):
        project.file("a.yaml", '{"test": {"name": "x"}, "steps": [], "verdict": "checks", "odd": 1}')
        done = project.run()
        assert "1 passed, 1 warning" in done.stdout
        assert "LLMTestWarning: tests/llm/a.yaml:1:2: warning: unknown key `odd`" in done.stdout


class TestNames:
    def test_cases_are_items_of_their_own(self, project):
        project.test("a.yaml", "log in", cases=[{"backend": "mysql"}, {"backend": "ldap", "word": "FAIL"}])
        done = project.run("-v")
        assert "tests/llm/a.yaml::log in[backend=mysql] PASSED" in done.stdout
        assert "tests/llm/a.yaml::log in[backend=ldap,word=FAIL] FAILED" in done.stdout
        assert "1 passed" in project.run("tests/llm/a.yaml::log in[backend=mysql]").stdout
        assert "1 failed" in project.run("-k", "ldap").stdout

    def test_no_two_have_one_name(self, project):
        project.test("a.yaml", "a::b\n c", cases=[{"x": 1}, {"x": 1}])
        done = project.run("--collect-only", "-q")
        assert done.stdout.splitlines()[:2] == ["tests/llm/a.yaml::a:b c[x=1]", "tests/llm/a.yaml::a:b c[x=1] #2"]

    def test_collect_only_runs_nothing(self, project):
        project.test("a.yaml", word="FAIL")
        done = project.run("--collect-only")
        assert done.returncode == 0
        assert "<LLMTestFile a.yaml>" in done.stdout
        assert "<LLMTestItem it>" in done.stdout


class TestTags:
    def test_tags_are_markers_also_where_these_are_strict(self, project):
        project.test("a.yaml", tags=("slow", "needs-db"))
        project.test("b.yaml")
        project.test("c.yaml", tags=("slow",), word="FAIL")
        strict = ("--strict-markers", "-W", "error")
        assert "1 passed, 2 deselected" in project.run(*strict, "-m", "not slow").stdout
        assert "1 passed, 2 deselected" in project.run(*strict, "-m", "needs-db and llm").stdout
        assert "3 deselected" in project.run(*strict, "-m", "not llm").stdout

    def test_tags_that_can_be_no_markers_are_keywords(self, project):
        project.test("a.yaml", tags=("_own", "a:b", "two words"))
        project.test("b.yaml")
        assert "1 passed, 1 deselected" in project.run("--strict-markers", "-k", "_own").stdout

    def test_pytests_own_markers_work_as_tags(self, project):
        project.test("a.yaml", tags=("skip",), word="FAIL")
        project.test("b.yaml", tags=("xfail",), word="FAIL")
        assert "1 skipped, 1 xfailed" in project.run().stdout


class TestOptions:
    def test_the_time_limit_is_handed_on(self, project):
        project.test("a.yaml", word="FAIL", tell_timeout=True)
        assert "(timeout 7)" in project.run("--llm-timeout", "7").stdout
        assert "(timeout None)" in project.run("--llm-timeout", "0").stdout
        assert "--llm-timeout: expected seconds from 0" in project.run("--llm-timeout", "-1").stderr

    def test_steps_are_shown_while_they_run(self, project):
        project.test("a.yaml", steps=STEPS)
        for further in ((), ("-s",), ("-p", "no:terminal")):
            done = project.run("--llm-verbose", *further)
            assert done.returncode == 0
            if "no:terminal" not in further:
                assert "\n  ✓ begin\n  ✗ look: 500 is not 200\n  said the server\n  ○ inner: depends" in done.stdout
                assert "\n  2 questions for the judge\n" in done.stdout
                assert "E1" not in done.stdout

    def test_another_plugin_with_these_options_keeps_them(self, project):
        project.write(other="def pytest_addoption(parser): parser.addoption('--llm', action='store_true')")
        project.test("a.yaml")
        done = project.run("-p", "other", PYTHONPATH=f"{project.folder}:{SUPPORT}")
        assert done.returncode == 5, done.stderr


class TestCompany:
    def test_junit_has_the_steps(self, project):
        project.test("a.yaml", word="FAIL", reason="no health", steps=STEPS)
        project.run("--junitxml=out.xml")
        properties = ET.parse(project.folder / "out.xml").getroot().iter("property")
        found = {each.get("name"): each.get("value") for each in properties}
        assert 0 < float(found.pop("unitai.duration")) < 60
        assert found == {
            "llm.verdict": "FAIL",
            "llm.reason": "no health",
            "llm.step.steps[0]": "pass: begin",
            "llm.step.steps[1]": "fail: look: 500 is not 200\nsaid the server",
            "llm.step.steps[1]#1.steps[0]": "skip: inner: depends on look",
        }

    def test_several_processes_tell_the_same(self, project):
        project.test("a.yaml", word="FAIL", reason="no health", steps=STEPS, tags=("slow",))
        project.test("b.yaml", word="UNCLEAR", reason="nobody to ask")
        project.test("c.yaml", "log in", cases=[{"x": 1}, {"x": 2}])
        done = project.run("-n", "2", "--llm-verbose", "--strict-markers", "-ra")
        assert "1 failed, 2 passed, 1 skipped" in done.stdout
        assert "FAIL: no health\n\n  ✓ begin\n  ✗ look\n" in done.stdout
        assert "FAILED tests/llm/a.yaml::it - FAIL: no health" in done.stdout
        assert "1 YAML test is unclear and counts as skipped" in done.stdout

    def test_reports_of_the_run_have_them(self, project):
        project.test("a.yaml", word="FAIL", reason="no health", steps=STEPS)
        project.test("b.yaml", word="ERROR", reason="no server")
        project.run("--unitai")
        told = project.finished("a.yaml::it")
        assert told["outcome"] == "failed"
        assert told["failures"][0]["message"] == "FAIL: no health"
        assert project.finished("b.yaml::it")["failures"][0]["message"].startswith("ERROR: no server")

    def test_a_conftest_may_change_a_test(self, project):
        project.test("a.yaml")
        (project.folder / "conftest.py").write_text(
            CONFTEST + "def pytest_collection_modifyitems(items):\n"
            "    items[0].spec.vars = {'word': 'FAIL', 'reason': 'changed'}\n"
        )
        assert "FAIL: changed" in project.run().stdout
