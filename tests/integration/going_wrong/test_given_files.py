"""Files and folders that other commands are given, or meet: missing, damaged, of another kind, or not to be written."""

from __future__ import annotations

import os
import subprocess

import pytest
from projects import COMMAND, Project
from ways import Way, tracebacks_of_ours

pytestmark = pytest.mark.integration


def events(version: int = 1) -> str:
    return (
        f'{{"event":"run_started","format":"unitai.events","version":{version},"at":0,"run_id":"1",'
        '"unitai":"0.1.0","python":"3","pytest":"9"}\n'
    )


FORM = "expected a file of events, as `unitai test` leaves them in .unitai/runs, or JUnit XML"
BOMB = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite name="&b;"/>'

TO_READ = {
    "empty": ("", "it is empty", FORM),
    "HTML": ("<!doctype html><html></html>", "document type", FORM),
    "another XML": ("<a/>", "it begins with <a>", FORM),
    "a bomb": (BOMB, "document type", FORM),
    "a deep one": ("<testsuite>" * 200_000, "cannot be understood", FORM),
    "bytes": (bytes(range(256)), "neither JSON nor XML", FORM),
    "another JSON": ('{"a": 1}\n', "cannot be understood", FORM),
    "events of a later release": (events(99), "format version 99", "upgrade UnitAI"),
    "events that are cut in the first line": (events()[:40], "tells of no run", FORM),
}


@pytest.mark.parametrize("command", ["results", "report"])
@pytest.mark.parametrize("name", TO_READ)
def test_a_file_to_read(command, name, tmp_path):
    text, *said = TO_READ[name]
    Way(name, (command, "given"), 2, tuple(said), {"given": text}).check(tmp_path)
    assert not (tmp_path / "test-results").exists()


WAYS = [
    Way("no run yet", ("results",), 2, ("there is no run in .unitai/runs", "`unitai test` makes one")),
    Way("no run to report", ("report",), 2, ("there is no run in .unitai/runs", "`unitai test` makes one")),
    Way("no such file", ("results", "nope.xml"), 2, ("nope.xml could not be read", FORM)),
    Way("a name that is no text", ("results", "\udcff.xml"), 2, ("could not be read", FORM)),
    Way("a folder", ("report", "."), 2, ("could not be read", FORM)),
    Way("no end", ("results", "/dev/zero"), 2, ("it is larger than 1 GB", FORM)),
    Way("a file for the folder of runs", ("results",), 2, ("could not be looked into", "takes any file of events"),
        {".unitai/runs": ""}),
    Way("a run that was cut", ("results", "given"), 1, ("The run did not come to its end", "no tests ran in 0.0ms"),
        {"given": events() + '{"event":"test_fin'}),
    Way("a report that is a folder", ("report", "given", "-o", "."), 2, ("`--output FILE` puts it elsewhere",),
        {"given": events()}),
    Way("a report below a file", ("report", "given", "-o", "given/a.html"), 2, ("`--output FILE` puts it elsewhere",),
        {"given": events()}),
    Way("no browser", ("report", "given", "--open"), 2, ("could not be started", "name a browser in BROWSER"),
        {"given": events()}, variables={"BROWSER": "/no/such"}),
    Way("a summary that is a folder", ("results", "given", "--markdown", "."), 2, ("name another file",),
        {"given": events()}),
    Way("init beside a folder of that name", ("init",), 2, ("cannot be read", "Mend it, then run this again"),
        folders=("unitai.toml",)),
    Way("init with a file for the tests", ("init",), 1, ("tests is a file", "name another folder in `testpaths`"),
        {"tests": ""}),
    Way("recordings in a file: clear", ("cache", "clear"), 2, ("Not a directory", "`--directory FOLDER` names another"),
        {".unitai/cache": ""}),
    Way("recordings in a file: stats", ("cache", "stats"), 2, ("Not a directory", "`--directory FOLDER` names another"),
        {".unitai/cache": ""}),
    Way("cassettes that are not there", ("cache", "import", "nope"), 1, ("nope: could not be read: No such file",)),
    Way("a cassette of bytes", ("cache", "import", "a.yaml"), 1, ("a.yaml: could not be read: line 1: no YAML",),
        {"a.yaml": bytes(range(256))}),
    Way("a folder without cassettes", ("cache", "import", "empty"), 1, ("no cassette was found",), folders=("empty",)),
    Way("a demo in a file", ("demo", "--keep", "there"), 2, ("--keep FOLDER` runs it in another",), {"there": ""}),
    Way("a doctor for broken settings", ("doctor",), 1, ("unitai.toml:1:6", "to do: write a file in TOML"),
        {"unitai.toml": "x = ["}),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_place(way, tmp_path):
    way.check(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "given", "-o", "/dev/full"), "`--output FILE` puts it elsewhere"),
        (("results", "given", "--junit", "/dev/full"), "name another file"),
        (("results", "given", "--markdown", "/dev/full"), "name another file"),
    ],
)
def test_a_full_disk(words, said, tmp_path):
    Way("full", words, 2, ("No space left on device", said), {"given": events()}).check(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [("config",), ("doctor",), ("cache", "stats"), ("results", "green")], ids=" ".join)
def test_an_output_that_goes_to_a_full_disk(words, tmp_path):
    green = '{"event":"test_finished","at":1,"test":"t","outcome":"passed","duration_seconds":1}\n'
    green += '{"event":"run_finished","at":2,"duration_seconds":2,"ending":"completed","exit_code":0}\n'
    (tmp_path / "green").write_text(events() + green, encoding="utf-8")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [COMMAND, *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
            env=Project(tmp_path).environment(),
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: the output could not be written: No space left on device")
    assert "send it elsewhere, or make room" in done.stderr and tracebacks_of_ours(done.stderr) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("words", [("results", "given"), ("config",), ("doctor",), ("report", "given", "-o", "-")])
def test_nobody_reads_what_is_said(words, tmp_path):
    """As in `unitai results | head -0`."""
    (tmp_path / "given").write_text(events(), encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        done = subprocess.run(
            [COMMAND, *words], cwd=tmp_path, stdout=nobody, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
            env=Project(tmp_path).environment(),
        )  # fmt: skip
    assert tracebacks_of_ours(done.stderr) == []
    assert "Traceback" not in done.stderr
