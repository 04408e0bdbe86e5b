"""Disks that refuse: the agent gets its answer, the test fails and says why, and nothing is left half-written."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager

import pytest
from loopback import Answered
from provider_bodies import as_provider
from wire import CHAT, ask, chat, post

from unitai import CacheDiskError, MockToolkit, ReplayCache, cassette

pytestmark = pytest.mark.integration


def refused(server, folder, mode="record", match=None):
    """A run whose answer could not be kept; gives what the agent got."""
    runs = []
    with pytest.raises(CacheDiskError, match=match), cassette(mode, folder) as tape:
        runs.append(MockToolkit().run(lambda input, tools: ask(server), "x"))
    (result,) = runs
    assert (result.error, tape.recorded) == (None, 0)
    assert result.output == "Hello world"
    assert [step.source for step in result.trajectory.steps] == ["live"]


def left(folder):
    """Everything but the folder's own files."""
    own = {".lock", ".gitignore", ".gitattributes", ".tally"}
    return sorted(path.name for path in folder.rglob("*") if path.name not in own)


def test_a_file_in_the_way_of_the_folder(server, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    refused(server, tmp_path / "cache")
    assert (tmp_path / "cache").read_text() == "not a folder"


def test_what_cannot_even_be_looked_for_is_not_paid_for(server, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    for mode in ("auto", "replay"):
        with pytest.raises(CacheDiskError, match="cannot read"), cassette(mode, tmp_path / "cache"):
            post(server.url + CHAT, chat())
    assert server.requests == []


def test_a_folder_in_the_way_of_a_file(server, tmp_path):
    with cassette("record", tmp_path):
        ask(server)
    (file,) = tmp_path.glob("*.json")
    file.unlink()
    file.mkdir()
    refused(server, tmp_path)
    assert left(tmp_path) == [file.name]
    with pytest.raises(CacheDiskError), cassette("replay", tmp_path):
        post(server.url + CHAT, chat())
    assert len(server.requests) == 2


@contextmanager
def mounted(folder, *options):
    """A file system of its own; the test is skipped where that is not permitted."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "unitai-test", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder, *options):
    subprocess.run(["mount", "-o", ",".join(["remount", *options]), str(folder)], check=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written(server, tmp_path):
    with cassette("record", tmp_path / "cache"):
        ask(server, "Something else")
    before = left(tmp_path / "cache")
    os.chmod(tmp_path / "cache", 0o500)
    try:
        refused(server, tmp_path / "cache", match="(?i)permission denied")
        assert left(tmp_path / "cache") == before
        with cassette("replay", tmp_path / "cache"):
            assert ask(server, "Something else") == "Hello world"
    finally:
        os.chmod(tmp_path / "cache", 0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_disk_that_is_read_only(server, tmp_path):
    with mounted(tmp_path / "cache", "size=1m") as folder:
        with cassette("record", folder):
            ask(server, "Something else")
        before = left(folder)
        remount(folder, "ro")
        refused(server, folder, match="(?i)read-only")
        refused(server, folder / "new", mode="auto")
        assert left(folder) == before
        with cassette("replay", folder) as tape:
            assert ask(server, "Something else") == "Hello world"
        assert tape.replayed == 1
        with pytest.raises(CacheDiskError):
            ReplayCache(folder).put("key", 1)
        with pytest.raises(CacheDiskError):
            ReplayCache(folder).clear()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_disk_that_is_full(server, tmp_path):
    with mounted(tmp_path / "cache", "size=128k") as folder:
        with cassette("record", folder):
            ask(server, "Something else")
        before = left(folder)
        with (folder / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError, match="No space"):
            while True:
                filler.write(bytes(4096))
        refused(server, folder, match="(?i)no space")
        assert left(folder) == sorted([*before, "filler"])
        # What was there can still be replayed, and there is room again.
        with cassette("replay", folder):
            assert ask(server, "Something else") == "Hello world"
        (folder / "filler").unlink()
        with cassette("auto", folder) as tape:
            ask(server)
        assert tape.recorded == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_full_disk_ends_recording_at_the_first_answer_that_is_lost(server, tmp_path):
    """In this test and in those after it, each with a cassette of its own, until there is room again."""
    with mounted(tmp_path / "cache", "size=128k") as folder:
        with (folder / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError, match="No space"):
            while True:
                filler.write(bytes(4096))
        for _ in range(4):
            runs = []
            with pytest.raises(CacheDiskError, match="(?i)no space"), cassette("record", folder):
                for number in range(3):
                    question = f"Question {number}"
                    runs.append(MockToolkit().run(lambda input, tools, text=question: ask(server, text), "x"))
        assert len(server.requests) == 1
        assert [type(result.error) for result in runs] == [CacheDiskError] * 3
        assert "no model is asked" in str(runs[0].error)
        (folder / "filler").unlink()
        with cassette("record", folder) as tape:
            ask(server)
        assert tape.recorded == 1


def test_a_file_that_may_not_grow(server, tmp_path):
    """As on a full disk, where none can be mounted."""
    with cassette("record", tmp_path):
        ask(server, "Something else")
    before = left(tmp_path)
    whole = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    server.respond = lambda asked: Answered(**as_provider(asked.path, asked.body, text="Hello " * 50_000))
    resource = pytest.importorskip("resource")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    runs = []
    try:
        with pytest.raises(CacheDiskError, match="(?i)too large"), cassette("auto", tmp_path):
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
            for text in ("Hi", "Something else"):
                runs.append(MockToolkit().run(lambda input, tools, text=text: ask(server, text), "x"))
            # The same question again: its file is there already, and must stay as it is. Its answer would be lost like the
            # first one, so it is not paid for.
            runs.append(MockToolkit().run(lambda input, tools: ask(server, "Something else"), "x"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert [type(result.error) for result in runs] == [type(None), type(None), CacheDiskError]
    assert [result.output == "Hello world" for result in runs] == [False, True, False]
    assert len(server.requests) == 2
    assert left(tmp_path) == before
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.json")} == whole


def test_a_test_that_fails_for_another_reason_says_that(server, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    with pytest.raises(AssertionError, match="what matters"), cassette("record", tmp_path / "cache"):
        ask(server)
        raise AssertionError("what matters")
