"""`unitai mcp`: what a client that starts it gets, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from stopwatch import Stopwatch

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "by-hand", "version": "1"}}


def start(folder: Path, *words: str, **options: Any) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([COMMAND, "mcp", *words], cwd=folder, text=True, **pipes, **options)


def ask(running: subprocess.Popen[str], number: int, method: str, params: dict) -> dict:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    running.stdin.write(json.dumps(message) + "\n")
    running.stdin.flush()
    return json.loads(running.stdout.readline())


def call(running: subprocess.Popen[str], number: int, tool: str, **args) -> dict:
    return ask(running, number, "tools/call", {"name": tool, "arguments": args})["result"]


def test_a_client_writes_a_test_runs_it_and_every_call_is_written_down(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "deep").mkdir()
    with start(tmp_path / "deep", "--log", "../calls.jsonl") as running:
        assert ask(running, 1, "initialize", HELLO)["result"]["serverInfo"]["name"] == "llm_pytest"
        step = {"tool": "assert_equals", "args": {"actual": 1, "expected": 1}}
        made = call(running, 2, "create_test", name="One is one", steps=[step], verdict="checks")
        assert made["structuredContent"]["file"] == "tests/llm/one_is_one.yaml"
        ran = call(running, 3, "run_test", path="tests/llm/one_is_one.yaml")
        assert ran["structuredContent"]["verdict"] == "PASS"
        running.stdin.close()
        assert running.wait(20) == 0, running.stderr.read()
    assert (tmp_path / "tests/llm/one_is_one.yaml").read_text().startswith("test:\n  name: One is one\n")
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [(it["number"], it["tool"], it["outcome"]) for it in calls] == [
        (1, "create_test", "returned"),
        (2, "run_test", "returned"),
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_teardown_runs_when_a_client_interrupts_and_then_terminates(tmp_path):
    # As Claude Code does it: SIGINT, and SIGTERM 100 ms later.
    silent = socket.create_server(("127.0.0.1", 0))
    silent.settimeout(60)
    steps = [{"tool": "http_get", "args": {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/"}}]
    wait = [{"tool": "sleep", "args": {"seconds": 0.5}}, {"tool": "http_get", "args": {"url": "http://127.0.0.1:9/"}}]
    with silent, start(tmp_path, "--root", ".", "--log", "calls.jsonl") as running:
        ask(running, 1, "initialize", HELLO)
        call(running, 2, "create_test", name="slow", steps=steps, teardown=wait, verdict="checks")
        params = {"name": "run_test", "arguments": {"path": "tests/llm/slow.yaml"}}
        running.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}) + "\n")
        running.stdin.flush()
        waiting, _ = silent.accept()
        with waiting, Stopwatch() as watch:
            running.send_signal(signal.SIGINT)
            # unitai: ignore[sleep-in-test] clients in a hurry leave so much time between two signals
            time.sleep(0.1)
            running.send_signal(signal.SIGTERM)
            assert running.wait(20) == 0, running.stderr.read()
    assert watch.seconds > 0.4
    assert watch.fair < 5
    assert '"unfinished"' in (tmp_path / "calls.jsonl").read_text()


def test_over_http_it_prints_its_address_and_refuses_who_is_not_known(tmp_path):
    with start(tmp_path, "--http", "--root", ".", "--token-file", "token") as running:
        url = urlsplit(running.stdout.readline().strip())
        token = (tmp_path / "token").read_text().strip()

        def status(**headers: str) -> int:
            connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
            known = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
            connection.request("POST", url.path, body, {**known, **headers})
            answer = connection.getresponse().status
            connection.close()
            return answer

        bearer = f"Bearer {token}"
        assert status() == 401
        assert status(authorization=bearer) == 200
        assert status(authorization=bearer, host="evil.example") == 403
        assert status(authorization=bearer, origin="http://evil.example") == 403
        running.terminate()
        assert running.wait(20) in (0, 1 if sys.platform == "win32" else 0)
        assert token not in running.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
@pytest.mark.parametrize(("mode", "is_told"), [(0o644, True), (0o640, True), (0o600, False)])
def test_a_token_file_that_others_may_read_is_told(tmp_path, mode, is_told):
    file = tmp_path / "token"
    file.write_text("a-token-of-our-own-making\n")
    file.chmod(mode)
    with start(tmp_path, "--http", "--root", ".", "--token-file", "token") as running:
        assert running.stdout.readline().startswith("http")
        running.terminate()
        running.wait(20)
        said = running.stderr.read()
    assert (f"others may read the token in token (mode {mode:o}, expected 600)" in said) is is_told
    assert "a-token-of-our-own-making" not in said


def refusal(folder: Path) -> str:
    """What is said of the file `token`, with which no server starts."""
    words = [COMMAND, "mcp", "--http", "--root", ".", "--token-file", "token"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_token_of_another_user_is_refused(tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token-of-their-own-making\n")
    file.chmod(0o600)
    os.chown(file, 65534, 65534)
    error = refusal(tmp_path)
    assert "token belongs to another user (number 65534), who knows the token" in error
    assert "a-token-of-their-own-making" not in error


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
@pytest.mark.parametrize("mode", [0o666, 0o660, 0o602])
def test_a_token_that_another_user_may_have_chosen_is_refused(tmp_path, mode):
    file = tmp_path / "token"
    file.write_text("a-token-of-our-own-making\n")
    file.chmod(mode)
    error = refusal(tmp_path)
    assert f"others may write the token in token (mode {mode:o}, expected 600)" in error
    assert "a-token-of-our-own-making" not in error


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="files of open pipes")
def test_a_token_may_come_through_a_pipe(tmp_path):
    reader, writer = os.pipe()
    os.write(writer, b"a-token-of-our-own-making\n")
    os.close(writer)
    words = ("--http", "--root", ".", "--token-file", f"/dev/fd/{reader}")
    with start(tmp_path, *words, pass_fds=[reader]) as running:
        assert running.stdout.readline().startswith("http")
        running.terminate()
        assert "warning" not in running.stderr.read()
    os.close(reader)


def test_a_token_is_made_and_printed_unless_one_is_given(tmp_path):
    given = "a-token-of-our-own"
    for words, header in [((), "Authorization: Bearer "), (("--token",), "Authorization: Bearer ")]:
        with start(tmp_path, "--http", "--root", ".", *words) as running:
            assert running.stdout.readline().startswith("http://127.0.0.1:")
            printed = running.stdout.readline().strip()
            running.terminate()
        assert printed.startswith(header)
        assert len(printed.removeprefix(header)) == 64
    with start(tmp_path, "--http", "--root", ".", "--token", given) as running:
        running.stdout.readline()
        running.terminate()
        rest = running.stdout.read() + running.stderr.read()
    assert "Bearer" not in rest
    assert given not in rest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--root", "nowhere"), "--root nowhere is no folder"),
        (("--http", "99999"), "--http wants a port or an address such as 127.0.0.1:8123, and got 99999"),
        (("--http", "--token", "short"), "--token: invalid token: expected at least 16 letters and digits on one line"),
        (("--http", "--allow-origin", "evil.example"), "--allow-origin wants an origin such as https://app.example"),
        (("--token",), "--http [<ADDR>]"),
        (("--allow-programs",), "--http [<ADDR>]"),
    ],
)
def test_arguments_that_cannot_be_are_told(tmp_path, words, said):
    with start(tmp_path, *words) as running:
        out, error = running.communicate(timeout=20)
    assert (running.returncode, out) == (2, "")
    assert said in error
