"""`unitai results`, as installed: what it shows, what it writes, and how it ends."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import jsonschema
import pytest
from told import COMMAND, failure, finished_test, keep, lines, results

pytestmark = pytest.mark.integration

SCHEMA = json.loads(
    (Path(__file__).parent.parent.parent / "schemas" / "results.schema.json").read_text(encoding="utf-8")
)
LIVE = {"live": {"calls": 20, "tokens": 8470, "cost": 0.031}}
SCRIPTED = {"scripted": {"calls": 2, "tokens": 300, "cost": 0.003}}
STATISTICS = {
    "verdict": "failed",
    "passed": 7,
    "failed": 3,
    "inconclusive": 0,
    "planned": 10,
    "pass_rate": 0.7,
    "threshold": 0.95,
    "interval": [0.397, 0.892],
    "confidence": 0.95,
    "claim": "",
    "mode": "all",
    "cost": 0.031,
    "is_cost_known": True,
}
REPORT = "  Pass rate: 7/10 (70.0%) — required: 95.0%"
RED = lines(
    finished_test("tests/test_late.py::test_late", spending=SCRIPTED),
    finished_test(
        "tests/test_refund.py::test_refund",
        "failed",
        failures=[failure("7 of 10 runs passed", "E   no", report=REPORT)],
        spending=LIVE,
        statistics=STATISTICS,
    ),
    finished_test("tests/test_key.py::test_key", "skipped", reason="OPENAI_API_KEY is not set"),
    budget={"limit": 5, "spent": 0.031},
)
GREEN = lines(finished_test("test_a.py::test_a"), finished_test("test_a.py::test_b", "xfailed", reason="known"))


def test_the_last_run_is_shown(tmp_path):
    keep(tmp_path, GREEN, "20261114T235959Z-ffffffff")
    keep(tmp_path, RED)
    (tmp_path / "tests").mkdir()
    done = results(tmp_path / "tests")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith(
        """\
passed   tests/test_late.py::test_late                                    $0.003  1.2s
failed   tests/test_refund.py::test_refund  7/10 (70.0%), 39.7% to 89.2%  $0.031  1.2s
skipped  tests/test_key.py::test_key                                              1.2s  (OPENAI_API_KEY is not set)

failed: tests/test_refund.py::test_refund
  7 of 10 runs passed

    Pass rate: 7/10 (70.0%) — required: 95.0%

======================== UnitAI Results ========================
1 passed, 1 failed, 1 skipped in 34.2s
Total cost: $0.034 | Total tokens: 8,770 | LLM calls: 22
Model calls: 20 live, $0.031 paid; 2 scripted
Budget remaining: $4.97 / $5.00
================================================================
"""
    ), done.stdout


def test_a_green_run_ends_with_0(tmp_path):
    keep(tmp_path, GREEN)
    done = results(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(".unitai/runs/20261115T183000Z-9f2c11d0.jsonl\n\npassed   test_a.py::test_a")
    assert "\n1 passed, 1 xfailed in 34.2s\nTotal cost: $0.00 | Total tokens: 0 | LLM calls: 0\n" in done.stdout


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (lines(finished_test("t"), ending=None), "The run did not come to its end: its process was killed."),
        (lines(finished_test("t"), ending="interrupted"), "The run was interrupted."),
        (lines(finished_test("t"), ending="crashed"), "its process died"),
        (lines(finished_test("t"), ending="broken", reason="no such folder"), "pytest itself failed (no such folder)."),
        (lines(finished_test("t", "inconclusive")), "1 inconclusive"),
        (lines(), "no tests ran"),
        (lines({"event": "test_started", "at": 1, "test": "t"}, ending=None), "the run ended before this test did"),
        (lines(finished_test("t"), ending=None) + '{"event":"test_fin', "its process was killed"),
    ],
)
def test_what_is_not_proven_is_not_green(tmp_path, events, said):
    keep(tmp_path, events)
    done = results(tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert said in done.stdout
    assert json.loads(results(tmp_path, "--json").stdout)["is_green"] is False


def test_numbers_for_programs_are_one_object_that_fits_its_schema(tmp_path):
    keep(tmp_path, RED)
    done = results(tmp_path, "--json")
    assert (done.returncode, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    jsonschema.validate(told, SCHEMA)
    numbers = ("passed", "failed", "errors", "inconclusive", "skipped", "xfailed", "xpassed")
    assert [told[name] for name in numbers] == [1, 1, 0, 0, 1, 0, 0]
    assert (told["cost"], told["paid"], told["unpriced_calls"], told["tokens"]) == (0.034, 0.031, 0, 8770)
    assert (told["model_calls"], told["duration_seconds"], told["ending"]) == (22, 34.2, "completed")
    assert told["budget"] == {"limit": 5, "spent": 0.031}
    late, refund, key = told["tests"]
    assert (late["cost"], late["paid"], late["outcome"]) == (0.003, 0, "passed")
    assert (refund["statistics"]["interval"], refund["messages"]) == ([0.397, 0.892], ["7 of 10 runs passed"])
    assert (key["reason"], key["cost"], key["statistics"]) == ("OPENAI_API_KEY is not set", 0, None)


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_files_of_pytest_are_read(tmp_path, family):
    (tmp_path / "test_kinds.py").write_text(
        """\
import sys

import pytest


def test_passes():
    print("shown\\x1b[31m")


class TestFails:
    @pytest.mark.parametrize("value", ["a::b", "<é>"])
    def test_fails(self, value):
        assert value == "c"


@pytest.fixture
def broken():
    raise OSError("no disk")


def test_error(broken): ...


def test_skip():
    pytest.skip("not today")


@pytest.mark.xfail(reason="known")
def test_xfail():
    assert False


@pytest.mark.xfail
def test_xpass(): ...
""",
        encoding="utf-8",
    )
    options = ["-q", "-p", "no:cacheprovider", "-o", f"junit_family={family}", "--junitxml", "theirs.xml"]
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, check=False)
    done = results(tmp_path, "theirs.xml", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    numbers = ("passed", "failed", "errors", "skipped", "xfailed")
    # pytest tells of no difference between one that passed and one that was not expected to.
    assert [told[name] for name in numbers] == [2, 2, 1, 1, 1]
    assert (told["cost"], told["tests"][0]["cost"], told["budget"]) == (None, None, None)
    test = told["tests"][2]
    name = "test_kinds.py::TestFails::" if family == "xunit1" else "test_kinds.TestFails::"
    assert test["test"] == f"{name}test_fails[<\\xe9>]"
    assert test["messages"][0].startswith("AssertionError: assert '<é>' == 'c'")
    shown = results(tmp_path, "-", input=(tmp_path / "theirs.xml").read_text(encoding="utf-8"))
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "\n2 passed, 2 failed, 1 error, 1 skipped, 1 xfailed in " in shown.stdout
    assert "Total cost" not in shown.stdout


def test_other_forms_are_written_and_read_again(tmp_path):
    keep(tmp_path, RED)
    forms = ("--junit", "out/ours.xml", "--junit-strict", "strict.xml", "--markdown", "summary.md")
    done = results(tmp_path, *forms)
    assert (done.returncode, done.stderr) == (1, "")
    first = json.loads(results(tmp_path, "--json").stdout)
    for form in ("out/ours.xml", "strict.xml"):
        again = json.loads(results(tmp_path, form, "--json").stdout)
        assert {**again, "tests": 0} == {**first, "tests": 0}
        kept = ("test", "outcome", "cost", "paid", "tokens", "model_calls", "reason", "messages")
        for one, other in zip(first["tests"], again["tests"], strict=True):
            assert [one[name] for name in kept] == [other[name] for name in kept]
    assert "| ❌ failed | `tests/test_refund.py::test_refund` |" in (tmp_path / "summary.md").read_text(
        encoding="utf-8"
    )


def test_a_page_is_made_of_a_junit_file_too(tmp_path):
    (tmp_path / "theirs.xml").write_text(
        "<testsuite><testcase name='of &lt;another tool'/></testsuite>", encoding="utf-8"
    )
    command = [COMMAND, "report", "theirs.xml", "-o", "page.html"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "of &lt;another tool" in (tmp_path / "page.html").read_text(encoding="utf-8")


BROKEN = {
    "empty": (b"", "it is empty"),
    "text": (b"hello\n", "it is neither JSON nor XML"),
    "bytes": (bytes(range(256)), "it is neither JSON nor XML"),
    "other-json": (b'{"a": 1}\n', "not an event"),
    "one-line": (b'{"a": 1}', "it tells of no run"),
    "not-utf-8": (b'{"event": "\xff"}\n', "invalid utf-8"),
    "newer": (b'{"event":"run_started","version":2}\n', "this release reads up to version 1"),
    "middle": (lines(finished_test("t")).replace('"outcome"', '"out', 1).encode(), "not an event"),
    "other-xml": (b"<html></html>", "begins with <html>, and a JUnit report begins with <testsuites>"),
    "cut": (b"<testsuite><testcase name='a'/>", "it ends in the middle"),
    "bomb": (b'<!DOCTYPE a [<!ENTITY b "bbb">]><testsuite name="&b;"/>', "line 1: it has a document type"),
    "outside": (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>', "line 1: it has a document type"),
    "deep": (b"<testsuite>" * 10_000, "nested more than 64 deep"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_understood_says_why_and_what_would_be(tmp_path, name):
    content, said = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    done = results(tmp_path, name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {name} cannot be understood: "), done.stderr
    assert said in done.stderr
    assert "expected a file of events, as `unitai test` leaves them in .unitai/runs, or JUnit XML" in done.stderr


def test_where_there_is_nothing_to_read_the_remedy_is_named(tmp_path):
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    nothing = results(tmp_path)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert nothing.stderr == (
        "error: there is no run in .unitai/runs; `unitai test` makes one, and `unitai results FILE` takes any file of events\n"
    )
    missing = results(tmp_path, "no.xml")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no.xml could not be read: No such file" in missing.stderr
    folder = results(tmp_path, tmp_path)
    assert (folder.returncode, folder.stdout) == (2, "")
    (tmp_path / "pyproject.toml").write_text("[tool.unitai\n", encoding="utf-8")
    wrong = results(tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "pyproject.toml:1" in wrong.stderr


def test_what_cannot_be_written_is_said(tmp_path):
    keep(tmp_path, GREEN)
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = results(tmp_path, "--junit", "file/x.xml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: file/x.xml could not be written: ")


def test_no_text_commands_the_terminal_and_no_secret_reaches_it(tmp_path):
    hostile = "\x1b]52;c;aGk=\x07\x1b[2J\r\u202egnp\x9b31m\x00"
    key = "sk-proj-Zk3vQ8xWn2LmR7tYc5Hd9Bf1Jg4Ps6Au"
    failures = [failure(hostile, hostile + key, report=hostile)]
    keep(tmp_path, lines(finished_test(hostile, "failed", reason=hostile, failures=failures), reason=hostile))
    forms = ("--junit", "j.xml", "--markdown", "m.md", "-v")
    done = results(tmp_path, *forms, env={**os.environ, "OPENAI_API_KEY": key})
    assert (done.returncode, done.stderr) == (1, "")
    written = [(tmp_path / name).read_text(encoding="utf-8") for name in ("j.xml", "m.md")]
    for text in (done.stdout, written[1]):
        assert not [char for char in text if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)]
        assert "\u202e" not in text
    assert not any(key in text for text in (done.stdout, *written))


def test_a_terminal_has_colours_and_its_width(tmp_path):
    keep(tmp_path, RED)
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    started = subprocess.Popen([COMMAND, "results"], cwd=tmp_path, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert started.wait(timeout=30) == 1
    text = shown.decode()
    assert "\x1b[1;31mfailed \x1b[0m  …" in text
    assert "\x1b[1;31m1 passed, 1 failed, 1 skipped in 34.2s\x1b[0m" in text


def test_help_has_examples():
    done = results(Path.cwd(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "unitai results test-results/unitai.xml" in done.stdout
