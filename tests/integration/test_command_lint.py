"""`unitai lint` as installed: what it looks at, what it tells, what it repairs, and that no file breaks it."""

from __future__ import annotations

import inspect
import json
import os
import stat
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from projects import Project

from unitai import StatisticalRunner

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
BAD = "def test_search():\n    assert True\n"
GOOD = "def test_search():\n    assert len('refund') == 6\n"
TUPLE = 'def test_total():\n    total = 1 + 1\n    assert (total == 2, "wrong")\n'
UNTUPLED = 'def test_total():\n    total = 1 + 1\n    assert total == 2, "wrong"\n'


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.unitai]\n", encoding="utf-8")
    return Project(tmp_path)


def lay(project: Project, **files: str | bytes) -> None:
    """Writes files by their paths, with `__` for `/`."""
    for name, content in files.items():
        write(project.folder / name.replace("__", "/"), content)


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def put(project: Project, path: str, content: str | bytes) -> Path:
    write(project.folder / path, content)
    return project.folder / path


def found(project: Project, *args: str, **variables: str) -> list[tuple[str, int, str]]:
    """File, line and rule of every finding."""
    done = project.unitai("lint", "--format", "json", *args, **variables)
    assert done.returncode in (0, 1), done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [(finding["path"], finding["start"]["line"], finding["rule"]) for finding in findings]


# What it tells.


def test_a_finding_is_told_with_its_line_and_what_to_do(project):
    put(project, "tests/unit/test_a.py", BAD)
    done = project.unitai("lint")
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout == (
        "tests/unit/test_a.py:2:5: error[assert-true]: `assert True` always holds: `test_search` cannot fail here\n"
        "  2 |     assert True\n"
        "    |     ^^^^^^^^^^^\n"
        "    = help: assert something about the result, or delete the test\n"
        "1 error, 0 warnings in 1 file\n"
    )


def test_clean_tests_are_told_to_be(project):
    put(project, "tests/unit/test_a.py", GOOD)
    done = project.unitai("lint")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 file looked at with ")


def test_warnings_alone_pass_unless_it_is_strict(project):
    put(project, "tests/unit/test_a.py", BAD)
    put(project, "pyproject.toml", '[tool.unitai.lint.rules]\nassert-true = "warning"\n')
    assert "0 errors, 1 warning in 1 file" in project.unitai("lint").stdout
    assert project.unitai("lint").returncode == 0
    assert project.unitai("lint", "--strict").returncode == 1


def test_json_keeps_to_its_schema(project):
    put(project, "tests/unit/test_a.py", BAD + "\n\n" + TUPLE)
    done = project.unitai("lint", "--format", "json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads((ROOT / "schemas/lint.schema.json").read_text(encoding="utf-8")))
    assert document["summary"] == {"files": 1, "errors": 2, "warnings": 0, "repaired": 0}
    first, second = document["findings"]
    assert (first["rule"], first["start"], first["end"], first["fix"]) == (
        "assert-true",
        {"line": 2, "column": 5},
        {"line": 2, "column": 16},
        None,
    )
    text = (project.folder / "tests/unit/test_a.py").read_text(encoding="utf-8")
    (edit,) = second["fix"]["edits"]
    assert text[: edit["start"]] + edit["text"] + text[edit["end"] :] == BAD + "\n\n" + UNTUPLED


def test_sarif_keeps_to_the_published_schema(project):
    put(project, "tests/unit/test_ä b.py", BAD)
    put(project, "tests/unit/test_b.py", "def test_x(\n")
    document = json.loads(project.unitai("lint", "--format", "sarif").stdout)
    schema = json.loads((ROOT / "tests/contract/published/sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema, format_checker=jsonschema.FormatChecker())
    (run,) = document["runs"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert sorted(places) == ["tests/unit/test_%C3%A4%20b.py", "tests/unit/test_b.py"]
    first = next(result for result in run["results"] if result["ruleId"] == "assert-true")
    place = first["locations"][0]["physicalLocation"]
    assert place["region"]["snippet"] == {"text": "assert True"}
    assert place["contextRegion"] == {"startLine": 2, "snippet": {"text": "    assert True"}}
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_github_shows_it_beside_the_code(project):
    put(project, "tests/unit/test_a.py", BAD)
    done = project.unitai("lint", "--format", "github")
    assert done.stdout.startswith(
        "::error file=tests/unit/test_a.py,line=2,endLine=2,col=5,endColumn=16,title=unitai lint%3A assert-true::"
    )
    assert "1 error" in done.stderr


def test_output_goes_to_a_file(project):
    put(project, "tests/unit/test_a.py", BAD)
    done = project.unitai("lint", "--format", "json", "--output", "out/lint.json")
    assert (done.returncode, done.stdout) == (1, "1 error, 0 warnings in 1 file\n")
    assert json.loads((project.folder / "out/lint.json").read_text(encoding="utf-8"))["version"] == 1


def test_statistics_count_by_rule(project):
    put(project, "tests/unit/test_a.py", BAD + "    assert 1\n\n\n" + TUPLE)
    assert project.unitai("lint", "--statistics").stdout.splitlines()[:2] == [
        "2  assert-true",
        "1  assert-on-tuple  (1 by `--fix`)",
    ]


@pytest.mark.parametrize("options", [("--statistics", "--format", "json"), ("--fix", "--diff")])
def test_options_that_do_not_go_together_are_refused(project, options):
    path = put(project, "tests/unit/test_a.py", TUPLE)
    done = project.unitai("lint", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert options[0] in done.stderr
    assert path.read_text(encoding="utf-8") == TUPLE


def test_every_rule_is_listed_and_explained(project):
    names = [line.split()[0] for line in project.unitai("lint", "--list").stdout.splitlines()]
    assert {"assert-true", "syntax-error"} <= set(names)
    for name in names:
        done = project.unitai("lint", "--explain", name)
        assert done.returncode == 0
        assert done.stdout.startswith(f"{name}: ")
        assert (ROOT / f"docs/reference/lint/{name}.md").exists()
    done = project.unitai("lint", "--explain", "assert-tru")
    assert (done.returncode, done.stderr) == (2, "error: there is no rule `assert-tru`; perhaps `assert-true`\n")


def test_nothing_that_a_terminal_obeys_is_told(project):
    put(project, "tests/unit/test_a.py", "def test_x():\n    assert '\x1b[31m\u202e'\n")
    done = project.unitai("lint")
    assert done.returncode == 1
    assert not any(c in done.stdout for c in "\x1b\u202e")


# What it looks at.


def test_it_looks_at_what_pytest_collects_and_git_does_not_ignore(project):
    for path in ("test_a.py", "b_test.py", "helpers.py", "old/test_c.py", "venv/lib/test_d.py", ".hidden/test_e.py"):
        put(project, f"tests/{path}", BAD)
    put(project, "tests/venv/pyvenv.cfg", "")
    put(project, ".gitignore", "old/\n")
    assert found(project) == [("tests/b_test.py", 2, "assert-true"), ("tests/test_a.py", 2, "assert-true")]
    assert found(project, "tests/helpers.py") == [("tests/helpers.py", 2, "assert-true")]
    assert found(project, "tests/old") == [("tests/old/test_c.py", 2, "assert-true")]


def test_python_files_of_pytest_are_heard(project):
    put(project, "pyproject.toml", '[tool.pytest.ini_options]\npython_files = ["check_*.py"]\n')
    put(project, "tests/check_a.py", BAD)
    put(project, "tests/test_a.py", BAD)
    assert found(project) == [("tests/check_a.py", 2, "assert-true")]


def test_a_path_that_is_not_there_is_wrong_usage(project):
    done = project.unitai("lint", "nowhere")
    assert done.returncode == 2
    assert done.stderr == "error: there is no nowhere; name files of tests, or folders\n"


def test_paths_are_those_of_the_shell_and_layers_those_of_the_project(project):
    put(project, "tests/unit/test_a.py", BAD)
    inside = Project(project.folder / "tests/unit")
    assert found(inside) == [("test_a.py", 2, "assert-true")]
    assert found(inside, "../unit") == [("test_a.py", 2, "assert-true")]
    assert found(inside, str(project.folder / "tests")) == [("test_a.py", 2, "assert-true")]


def test_yaml_tests_are_found_by_what_they_say(project):
    broken = "test: {name: a}\nsteps:\n  - tol: ping\nverdict: checks\n"
    put(project, "tests/llm/a.yaml", broken)
    put(project, "tests/data.yaml", "users: [1, 2]\nsteps: [3]\n")
    put(project, "tests/test_data.yaml", "users: [1, 2]\n")
    assert found(project) == [("tests/llm/a.yaml", 3, "syntax-error")]


NO_PYTHON = {
    "tests/test_broken.py": "import (\nx = = 3\n",
    "tests/test_py2.py": 'print "hello"\n',
    "tests/conftest.py": "x = = 3\n",
}


def test_what_is_no_python_is_told_though_no_test_is_in_it(project):
    for path, text in NO_PYTHON.items():
        put(project, path, text)
    put(project, "tests/test_a.py", GOOD)
    expected = {(path, "syntax-error") for path in NO_PYTHON}
    for args in ([], [".", "tests/test_broken.py"], ["tests/test_py2.py", "."]):
        assert {(path, rule) for path, _, rule in found(project, *args)} == expected


def test_a_hook_that_names_every_file_is_told_of_tests_that_are_not_excluded(project):
    put(project, "pyproject.toml", '[tool.unitai.lint]\nexclude = ["tests/generated"]\n')
    paths = ["src/helpers.py", "tests/generated/test_b.py", "tests/test_a.py"]
    for path in paths:
        put(project, path, BAD)
    for path in ("tests/llm/a.yaml", "tests/deep/b.yml"):
        put(project, path, "test: {name: a}\nsteps:\n  - tol: ping\nverdict: checks\n")
    put(project, "tests/test_data.yaml", "users: [1, 2]\n")
    named = [*paths, "tests/llm/a.yaml", "tests/deep/b.yml", "tests/test_data.yaml"]
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    command, subcommand, *options = hook["entry"].split()
    assert (command, subcommand) == ("unitai", "lint")
    assert [path for path, _, _ in found(project, *options, *named)] == [
        "tests/deep/b.yml",
        "tests/llm/a.yaml",
        "tests/test_a.py",
    ]
    assert [path for path, _, _ in found(project, *paths)] == paths


def test_links_that_go_round_end(project):
    put(project, "tests/test_a.py", BAD)
    (project.folder / "tests/round").symlink_to(project.folder / "tests")
    (project.folder / "tests/test_nowhere.py").symlink_to("nothing.py")
    (project.folder / "tests/test_self.py").symlink_to("test_self.py")
    assert found(project) == [("tests/test_a.py", 2, "assert-true")]


# Settings.


def test_settings_say_which_rules_look(project):
    put(project, "tests/unit/test_a.py", BAD + "\n\n" + TUPLE)
    put(project, "tests/legacy/test_b.py", BAD)
    everything = [
        ("tests/legacy/test_b.py", 2, "assert-true"),
        ("tests/unit/test_a.py", 2, "assert-true"),
        ("tests/unit/test_a.py", 7, "assert-on-tuple"),
    ]
    assert found(project) == everything
    assert found(project, "--select", "assert-on-tuple") == everything[2:]
    assert found(project, "--ignore", "assert-true") == everything[2:]
    assert found(project, UNITAI_LINT_IGNORE="assert-on-tuple") == everything[:2]
    settings = project.folder / "pyproject.toml"
    for text, expected in [
        ('select = ["assert-true"]', everything[:2]),
        ('exclude = ["tests/legacy"]', everything[1:]),
        ('exclude = ["tests/*/test_b.py"]', everything[1:]),
        ('rules = { assert-true = "off" }', everything[2:]),
        ('per_folder = { "tests/legacy/**" = ["assert-true"] }', everything[1:]),
        ('per_folder = { "tests/legacy" = ["assert-true"] }', everything[1:]),
    ]:
        settings.write_text(f"[tool.unitai.lint]\n{text}\n", encoding="utf-8")
        assert found(project) == expected, text


def test_a_rule_that_does_not_exist_is_told_with_its_place(project):
    path = put(project, "pyproject.toml", '[tool.unitai.lint]\nignore = ["assert-tru"]\n')
    done = project.unitai("lint")
    assert done.returncode == 2
    expected = "there is no rule `assert-tru`; expected perhaps `assert-true`; `unitai lint --list` shows every rule"
    assert done.stderr == f"error: {path}:2:1: {expected}\n"
    done = project.unitai("lint", "--select", "nothing-like-it")
    assert done.stderr.startswith("error: the option --select: there is no rule `nothing-like-it`")


# Repairs.


def test_fix_repairs_and_diff_only_shows(project):
    path = put(project, "tests/test_a.py", TUPLE + "\n\n" + BAD)
    path.chmod(0o754)
    done = project.unitai("lint", "--diff")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "--- tests/test_a.py",
        "+++ tests/test_a.py",
        "@@ -1,6 +1,6 @@",
        " def test_total():",
        "     total = 1 + 1",
        '-    assert (total == 2, "wrong")',
        '+    assert total == 2, "wrong"',
        " ",
        " ",
        " def test_search():",
    ]
    assert path.read_text(encoding="utf-8") == TUPLE + "\n\n" + BAD
    done = project.unitai("lint", "--fix")
    assert done.returncode == 1
    assert done.stdout.endswith("1 repaired, 1 error, 0 warnings in 1 file\n")
    assert path.read_text(encoding="utf-8") == UNTUPLED + "\n\n" + BAD
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert project.unitai("lint", "--diff").returncode == 0


def test_fix_tells_what_it_repaired_in_which_file(project):
    put(project, "tests/test_a.py", TUPLE + "\n\n" + TUPLE.replace("test_total", "test_sum"))
    put(project, "tests/test_b.py", GOOD)
    for number in range(11):
        put(project, f"tests/test_c{number:02}.py", TUPLE)
    told = project.unitai("lint", "--fix").stderr.splitlines()
    assert told[:2] == [
        "unitai: tests/test_a.py: repaired assert-on-tuple (2)",
        "unitai: tests/test_c00.py: repaired assert-on-tuple",
    ]
    assert (len(told), told[-1]) == (11, "unitai: 2 more files are repaired")


def test_fix_goes_on_after_a_file_that_it_cannot_write(project):
    kept = put(project, "tests/test_a.py", TUPLE)
    kept.chmod(0o444)
    mended = put(project, "tests/test_b.py", TUPLE)
    done = project.unitai("lint", "--fix")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "unitai: tests/test_a.py: not repaired: it may not be written",
        "unitai: tests/test_b.py: repaired assert-on-tuple",
    ]
    assert "1 repaired, 1 error, 0 warnings in 1 of 2 files" in done.stdout
    assert (kept.read_text(encoding="utf-8"), mended.read_text(encoding="utf-8")) == (TUPLE, UNTUPLED)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_fix_follows_no_link_out_of_the_project(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    foreign, other = outside / "test_foreign.py", outside / "test_other.py"
    foreign.write_text(TUPLE, encoding="utf-8")
    other.write_text(TUPLE, encoding="utf-8")
    own = put(project, "tests/test_own.py", TUPLE)
    (project.folder / "tests" / "test_link.py").symlink_to(foreign)
    (project.folder / "tests" / "test_near.py").symlink_to(own)
    (project.folder / "there").symlink_to(outside)
    done = project.unitai("lint", "--diff", "tests", "there/test_other.py")
    assert "link" not in done.stdout and "there" not in done.stdout
    done = project.unitai("lint", "--fix", "tests", "there/test_other.py")
    why = "not repaired: it is a link out of the project; repair the file that it leads to"
    assert done.returncode == 2
    assert f"unitai: tests/test_link.py: {why}" in done.stderr
    assert f"unitai: there/test_other.py: {why}" in done.stderr
    assert foreign.read_text(encoding="utf-8") == other.read_text(encoding="utf-8") == TUPLE
    assert own.read_text(encoding="utf-8") == UNTUPLED
    # What was named by its own path is meant.
    assert project.unitai("lint", "--fix", str(other)).returncode == 0
    assert other.read_text(encoding="utf-8") == UNTUPLED


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("link", [".unitai", ".unitai/cache", ".unitai/cache/lint", ".unitai/cache/lint/folders"])
def test_nothing_is_remembered_through_a_link(project, tmp_path_factory, link):
    outside = tmp_path_factory.mktemp("outside")
    kept = outside / "kept"
    kept.write_text("mine", encoding="utf-8")
    put(project, "tests/test_a.py", TUPLE)
    place = project.folder / link
    place.parent.mkdir(parents=True, exist_ok=True)
    # A project that was cloned can hold such a link.
    place.symlink_to(kept if link.endswith("folders") else outside)
    assert project.unitai("lint", "--fix").returncode == 0
    assert project.unitai("lint").returncode == 0
    assert [path.name for path in outside.rglob("*")] == ["kept"]
    assert kept.read_text(encoding="utf-8") == "mine"


def test_the_end_counts_the_files_that_something_was_found_in(project):
    put(project, "tests/test_a.py", BAD)
    put(project, "tests/test_b.py", GOOD)
    assert project.unitai("lint").stdout.endswith("1 error, 0 warnings in 1 of 2 files\n")


def test_every_repair_is_done_however_it_is_laid_out(project):
    text = 'def test_a(x):\n    (x.tool_was_called("a"))  # unitai\n    assert(x == 1, "m")\n'
    path = put(project, "tests/test_a.py", text)
    assert "`--fix` repairs 2 of them" in project.unitai("lint").stdout
    done = project.unitai("lint", "--fix")
    assert (done.returncode, done.stderr.splitlines()) == (
        0,
        ["unitai: tests/test_a.py: repaired assert-on-tuple, check-without-assert"],
    )
    assert done.stdout.startswith("2 repaired, ")
    repaired = 'def test_a(x):\n    assert (x.tool_was_called("a"))  # unitai\n    assert x == 1, "m"\n'
    assert path.read_text(encoding="utf-8") == repaired


def test_a_repair_keeps_what_a_file_is_written_in(project):
    windows = put(project, "tests/test_a.py", b"\xef\xbb\xbf" + TUPLE.replace("\n", "\r\n").encode())
    latin = put(project, "tests/test_b.py", "# coding: latin-1\n# Zoë\n".encode("latin-1") + TUPLE.encode())
    before = latin.read_bytes()
    # What is not written is not promised.
    assert "`--fix` repairs 1 of them" in project.unitai("lint").stdout
    assert project.unitai("lint", "--fix").returncode == 1
    assert windows.read_bytes() == b"\xef\xbb\xbf" + UNTUPLED.replace("\n", "\r\n").encode()
    assert latin.read_bytes() == before


# What is remembered.


def test_a_second_run_tells_the_same_and_a_change_is_seen_at_once(project):
    path = put(project, "tests/test_a.py", BAD)
    put(project, "tests/test_b.py", GOOD)
    first = project.unitai("lint")
    memory = project.folder / ".unitai/cache/lint/folders"
    assert memory.exists()
    assert project.unitai("lint").stdout == first.stdout
    # Of the same size, with the same time, in the same file.
    times = path.stat()
    with path.open("r+") as file:
        file.write(BAD.replace("True", "text"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert project.unitai("lint").stdout.startswith("2 files looked at")
    path.write_text(BAD, encoding="utf-8")
    assert project.unitai("lint").stdout == first.stdout
    # Other settings find something else.
    assert project.unitai("lint", "--ignore", "assert-true").returncode == 0
    assert project.unitai("lint").stdout == first.stdout


@pytest.mark.parametrize("damage", [b"", b"\x00" * 100, b"unitai lint  1\n\x00" + b"\xff" * 200])
def test_a_damaged_memory_is_none(project, damage):
    put(project, "tests/test_a.py", BAD)
    first = project.unitai("lint")
    memory = project.folder / ".unitai/cache/lint/folders"
    whole = memory.read_bytes()
    for bytes_ in (damage, whole[:-1], whole + b"x", whole[:60] + b"\x01" + whole[61:]):
        memory.write_bytes(bytes_)
        assert project.unitai("lint").stdout == first.stdout


def test_nothing_is_remembered_if_nobody_wants_it(project):
    put(project, "tests/test_a.py", BAD)
    assert project.unitai("lint", "--no-cache").returncode == 1
    assert not (project.folder / ".unitai").exists()


def test_what_is_found_does_not_depend_on_how_many_look(project):
    for number in range(40):
        put(project, f"tests/part_{number % 7}/test_{number}.py", BAD)
    outputs = {project.unitai("lint", "--no-cache", "--jobs", jobs).stdout for jobs in ("1", "2", "8")}
    assert len(outputs) == 1


# What no file breaks.

DEEP = 100_000

ODD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", ""),
    "blank": (b"\n\n", ""),
    "mark alone": (b"\xef\xbb\xbf", ""),
    "mark": (b"\xef\xbb\xbf" + BAD.encode(), "always holds"),
    "windows": (BAD.replace("\n", "\r\n").encode(), "always holds"),
    "old mac": (BAD.replace("\n", "\r").encode(), "always holds"),
    "latin-1": ("# -*- coding: latin-1 -*-\n# Zoë\n".encode("latin-1") + BAD.encode(), "always holds"),
    "vim": ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n# Zoë\n".encode("cp1252") + BAD.encode(), "always"),
    "shift jis": ("# coding: shift_jis\n# 検索\n".encode("shift_jis") + BAD.encode(), "always holds"),
    "undeclared": ("# Zoë\n".encode("latin-1") + BAD.encode(), "line 1 has a byte that is no UTF-8"),
    "unknown": (b"# coding: klingon\n" + BAD.encode(), "its encoding is `klingon`, which is not known"),
    "word alone": (b"# what is known of coding\n" + BAD.encode(), "always holds"),
    "utf-16": (BAD.encode("utf-16"), "written in UTF-16"),
    "zero": (b"def test_x():\n    assert '\x00'\n", "line 2 has a byte that is zero"),
    "large": (b"def test_x():\n    x = 1\n" + b"#" * 10_000_000, "it has 10.0 MB"),
    "no python": (b"def test_x(:\n    assert True\n", "this is no Python"),
    "python 2": (b'def test_x():\n    print "x"\n', "this looks like Python 2: a `print` without brackets"),
    "raise": (b'def test_x():\n    raise ValueError, "x"\n', "this looks like Python 2: `raise Error, text`"),
    "brackets": (b"def test_x():\n    assert " + b"(" * DEEP + b"1" + b")" * DEEP, "always holds"),
    "open brackets": (b"def test_x():\n    assert " + b"[" * DEEP, "this is no Python"),
    "operators": (b"def test_x():\n    assert " + b"1+" * DEEP + b"1", "nested too deeply"),
    "attributes": (b"def test_x():\n    assert a" + b".b" * DEEP, "nested too deeply"),
    "calls": (b"def test_x():\n    assert a" + b"()" * DEEP, "nested too deeply"),
    "not": (b"def test_x():\n    assert " + b"not " * DEEP + b"1", "nested too deeply"),
    "lambdas": (b"def test_x():\n    assert " + b"lambda: " * DEEP + b"1", "nested too deeply"),
    "blocks": (b"".join(b" " * n + b"if x:\n" for n in range(3000)) + b" " * 3000 + b"pass  # def test", ""),
    "long line": (b"def test_x():\n    assert " + b"x or " * DEEP + b"y", ""),
}


@pytest.mark.parametrize("name", ODD)
def test_no_file_breaks_it(project, name):
    content, message = ODD[name]
    put(project, "tests/test_odd.py", content)
    put(project, "tests/test_plain.py", BAD)
    done = project.unitai("lint", "--format", "json")
    assert done.returncode == 1, done.stderr
    told = {finding["path"]: finding["message"] for finding in json.loads(done.stdout)["findings"]}
    assert "`assert True` always holds" in told.pop("tests/test_plain.py")
    if message:
        assert message in told["tests/test_odd.py"]
    else:
        assert told == {}
    assert project.unitai("lint", "tests/test_odd.py", "--no-cache").returncode in (0, 1)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="whoever may do everything can open it")
def test_a_file_that_may_not_be_opened_is_told(project):
    path = put(project, "tests/test_a.py", BAD)
    path.chmod(0)
    (finding,) = json.loads(project.unitai("lint", "--format", "json").stdout)["findings"]
    assert finding["rule"] == "unreadable-file"
    assert "it cannot be opened" in finding["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_that_is_named_like_a_test_does_not_hold_it_up(project):
    put(project, "tests/test_a.py", BAD)
    os.mkfifo(project.folder / "tests/test_pipe.py")
    assert found(project) == [("tests/test_a.py", 2, "assert-true")]
    done = project.unitai("lint", "tests/test_pipe.py")
    assert done.returncode == 1
    assert "it is no file" in done.stdout


# What it knows of the rest.


@pytest.mark.parametrize("mode", ["early", "all", "sequential"])
def test_a_plan_that_is_not_written_down_is_that_of_the_runner(project, mode):
    """The defaults stand in Python and in the rule: what is found must not depend on whether they are written."""
    known = inspect.signature(StatisticalRunner).parameters
    usual = {name: known[name].default for name in ("alpha", "beta", "confidence", "indifference")}
    written = ", ".join(f"{name}={value!r}" for name, value in usual.items())
    said = [f'mode="{mode}"', written] if known["mode"].default != mode else [written]
    unsaid = [f'mode="{mode}"'] if known["mode"].default != mode else []
    for name, arguments in (("said", said), ("unsaid", unsaid)):
        plan = ", ".join(["n=3", "threshold=0.9", *arguments])
        code = f"from unitai import statistical\n\n@statistical({plan})\ndef test_a(mock_toolkit):\n    assert mock_toolkit.run(agent).tool_was_called('a')\n"
        put(project, f"tests/test_{name}.py", code)
    done = project.unitai("lint", "--format", "json", "--select", "too-few-runs")
    told = {finding["path"]: finding["message"] for finding in json.loads(done.stdout)["findings"]}
    assert told["tests/test_said.py"] == told["tests/test_unsaid.py"]
