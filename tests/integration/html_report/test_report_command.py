"""`unitai report`, as installed: what it writes, what it says, and how it ends."""

from __future__ import annotations

import os
import shutil
import stat

import pytest
from processes import soon

pytestmark = pytest.mark.integration


def _project(folder, *names):
    from page_events import SAMPLE

    runs = folder / ".unitai" / "runs"
    runs.mkdir(parents=True)
    for name in names:
        shutil.copy(SAMPLE, runs / name)
    return folder


def test_the_last_run_becomes_a_file_that_anybody_may_publish(tmp_path):
    from page_events import ENDED, STARTED, finished, unitai, write

    project = _project(tmp_path, "20261115T183000Z-9f2c11d0.jsonl")
    old = [STARTED, finished("tests/test_old.py::test_old"), ENDED]
    write(project / ".unitai" / "runs" / "20250101T000000Z-00000000.jsonl", old)
    done = unitai("report", cwd=project)
    page = project / "test-results" / "unitai.html"
    size = page.stat().st_size
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"test-results/unitai.html ({size / 1000:.1f} kB)\n"
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "test_refund_is_looked_up_first" in text
    assert "test_old" not in text
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(page.stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o777 & ~mask
    assert [path.name for path in page.parent.iterdir()] == ["unitai.html"]


def test_a_run_that_is_named_goes_where_it_is_told(tmp_path):
    from page_events import SAMPLE, unitai

    done = unitai("report", SAMPLE, "--output", tmp_path / "deep" / "run.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "deep" / "run.html").read_text(encoding="utf-8")
    shown = unitai("report", SAMPLE, "-o", "-", cwd=tmp_path)
    assert (shown.returncode, shown.stderr, shown.stdout) == (0, "", written)
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_junit_file_of_any_tool_becomes_a_report(tmp_path):
    from page_events import unitai

    suite = '<testsuite name="shop"><testcase classname="cart" name="adds &lt;b&gt;"/><testcase name="pays"><failure message="no money">at line 3</failure></testcase></testsuite>'
    (tmp_path / "junit.xml").write_text(suite, encoding="utf-8")
    done = unitai("report", "junit.xml", "-o", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 2 tests failed" in done.stdout
    assert "adds &lt;b&gt;" in done.stdout
    assert "no money" in done.stdout
    assert unitai("report", "-", "-o", "-", cwd=tmp_path, input=suite).stdout == done.stdout


def test_a_report_is_opened_in_the_browser_that_is_asked_for(tmp_path):
    from page_events import SAMPLE, unitai

    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n', encoding="utf-8")
    browser.chmod(0o755)
    done = unitai("report", SAMPLE, "--open", cwd=tmp_path, env={**os.environ, "BROWSER": str(browser)})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"opened with {browser}\n")
    opened = tmp_path / "opened"
    assert soon(lambda: opened.exists() and opened.read_text(), 20)
    assert opened.read_text() == f"{(tmp_path / 'test-results' / 'unitai.html').resolve()}\n"

    gone = unitai("report", SAMPLE, "--open", cwd=tmp_path, env={**os.environ, "BROWSER": "/no/such/browser"})
    assert gone.returncode == 2
    assert "/no/such/browser could not be started" in gone.stderr
    assert "unitai.html yourself" in gone.stderr

    # As xdg-open does where there is no browser.
    browser.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    nothing = unitai("report", SAMPLE, "--open", cwd=tmp_path, env={**os.environ, "BROWSER": str(browser)})
    assert nothing.returncode == 2
    assert f"{browser} opened nothing: exit status: 3; open " in nothing.stderr
    assert "opened with" not in nothing.stdout


def test_a_browser_that_stays_is_not_waited_for(tmp_path):
    from page_events import SAMPLE, unitai

    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\nsleep 25\ntouch {tmp_path}/closed\n", encoding="utf-8")
    browser.chmod(0o755)
    done = unitai("report", SAMPLE, "--open", cwd=tmp_path, env={**os.environ, "BROWSER": str(browser)})
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "closed").exists()


def _broken(text):
    return lambda folder: (folder / "events.jsonl").write_bytes(text)


@pytest.mark.parametrize(
    ("prepare", "args", "told"),
    [
        (lambda folder: None, [], ["there is no run in", ".unitai/runs", "`unitai test` makes one"]),
        (lambda folder: None, ["missing.jsonl"], ["missing.jsonl could not be read", "expected a file of events"]),
        (lambda folder: None, ["."], ["could not be read", "expected a file of events"]),
        (_broken(b""), ["events.jsonl"], ["tells of no run", "expected a file of events"]),
        (_broken(b"\xff\xfe\x00"), ["events.jsonl"], ["cannot be understood", "expected a file of events"]),
        (_broken(b"hello\nworld\n"), ["events.jsonl"], ["neither JSON nor XML", "expected a file of events"]),
        (
            _broken(b'{"event":"run_started","version":7}\n'),
            ["events.jsonl"],
            ["format version 7", "reads up to version 1"],
        ),
        (lambda folder: None, ["-o", "-", "--open"], ["leave one of them out"]),
    ],
)
def test_what_cannot_be_reported_is_told_with_a_remedy(tmp_path, prepare, args, told):
    from page_events import unitai

    (tmp_path / ".git").mkdir()
    prepare(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    done = unitai("report", *args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert [word for word in told if word not in done.stderr] == []
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_place_that_cannot_be_written_is_told_with_a_remedy(tmp_path):
    from page_events import SAMPLE, unitai

    (tmp_path / "file").write_text("mine", encoding="utf-8")
    done = unitai("report", SAMPLE, "-o", "file/report.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "could not be written to file/report.html" in done.stderr
    assert "`--output FILE` puts it elsewhere" in done.stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_no_secret_is_in_a_report_however_html_would_spell_it(tmp_path):
    from page_events import ENDED, STARTED, finished, unitai, write

    secret = "ab<c&d>'e\"f-g.h!i?j"
    run = write(tmp_path / "events.jsonl", [STARTED, finished("t", "failed", reason=f"it is {secret}"), ENDED])
    done = unitai("report", run, "-o", "-", cwd=tmp_path, env={**os.environ, "SHOP_API_KEY": secret})
    assert (done.returncode, done.stderr) == (0, "")
    assert "it is [redacted]" in done.stdout
    assert "j</dd>" not in done.stdout


def test_help_has_examples():
    from page_events import unitai

    done = unitai("report", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "unitai report --open" in done.stdout
