"""`unitai serve` with programs of other kinds: the shell, curl, whatever speaks HTTP."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys

import pytest
from processes import soon

pytestmark = pytest.mark.integration

BODY = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Where is order 7?"}]})
ASK = f"""
import json, os, sys, urllib.request
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    {BODY!r}.replace("order 7", sys.argv[1] if len(sys.argv) > 1 else "order 7").encode(),
    {{"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}},
)
print(urllib.request.urlopen(request, timeout=20).read().decode())
"""


def ask(*words):
    return ("--", sys.executable, "-c", ASK, *words)


def test_curl_is_served_and_streamed(tmp_path, provider):
    from behind import serve

    if shutil.which("curl") is None:
        pytest.skip("curl is not here")
    body = json.dumps({**json.loads(BODY), "stream": True})
    script = f"""
        set -e
        curl -sS --fail "$OPENAI_BASE_URL/models"
        curl -sSN --fail "$OPENAI_BASE_URL/chat/completions" -H "authorization: Bearer $OPENAI_API_KEY" \\
             -H "content-type: application/json" -d '{body}'
    """
    live = serve(tmp_path, "--record", "--upstream", f"openai={provider.url}", "--", "sh", "-c", script)
    assert live.returncode == 0, live.stderr
    assert live.stdout.count("data: ") == 5
    provider.__exit__()
    replayed = serve(tmp_path, "--replay", "--upstream", f"openai={provider.url}", "--", "sh", "-c", script)
    assert (replayed.returncode, replayed.stdout) == (0, live.stdout), replayed.stderr


def test_a_page_that_finds_the_port_gets_nothing(tmp_path, provider):
    from behind import serve

    script = """
        import os, urllib.error, urllib.request
        base = os.environ["OPENAI_BASE_URL"]
        def status(url, **headers):
            try:
                return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10).status
            except urllib.error.HTTPError as error:
                return error.code, error.read()
        root = "/".join(base.split("/")[:3])
        print(status(base + "/models"))
        print(status(root + "/openai/v1/models"), status(base + "/models", Origin="http://evil.example"))
        print(status(base + "/models", Host="evil.example"))
    """
    import textwrap

    program = (sys.executable, "-c", textwrap.dedent(script))
    done = serve(tmp_path, "--upstream", f"openai={provider.url}", "--", *program)
    assert done.stdout.splitlines() == ["200", "(404, b'') (404, b'')", "(404, b'')"], done.stderr
    assert len(provider.requests) == 1


def test_nothing_secret_is_written_and_files_are_private(tmp_path, provider):
    from behind import KEY, serve, steps, written

    umask = os.umask(0)
    try:
        done = serve(tmp_path, "--record", "--upstream", f"openai={provider.url}", *ask(f"order {KEY}"))
    finally:
        os.umask(umask)
    assert done.returncode == 0, done.stderr
    assert steps(tmp_path)[1] == ("lookup", {"order": 7}, None)
    assert KEY not in done.stderr
    assert not any(KEY[at : at + 8].encode() in written(tmp_path) for at in range(8, len(KEY) - 8))
    for path in (tmp_path / ".unitai").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_miss_fails_the_command_though_the_command_did_not(tmp_path, provider):
    from behind import serve

    assert serve(tmp_path, "--record", "--upstream", f"openai={provider.url}", *ask()).returncode == 0
    program = tmp_path / "ask.py"
    program.write_text(ASK, encoding="utf-8")
    swallowing = ("--", "sh", "-c", f"{sys.executable} ask.py 'order 8' || true")
    done = serve(tmp_path, "--replay", *swallowing)
    assert done.returncode == 1
    assert "no recording answers this request" in done.stderr
    assert "7" in done.stderr
    assert "8" in done.stderr


def test_the_exit_code_is_the_commands_own(tmp_path):
    from behind import serve, trajectory

    assert serve(tmp_path, "--", "sh", "-c", "exit 7").returncode == 7
    assert trajectory(tmp_path)["error"]["message"] == "exit code 7"
    assert serve(tmp_path, "--", "sh", "-c", "kill -9 $$").returncode == 137
    assert serve(tmp_path, "--", "there-is-no-such-program").returncode == 2
    assert serve(tmp_path, "--record", "--replay", "--", "true").returncode == 2
    assert serve(tmp_path, "--upstream", "openai=https://me:secret@host", "--", "true").returncode == 2


def test_signals_reach_the_command_and_nothing_of_it_is_left(tmp_path):
    from behind import COMMAND

    script = 'sleep 1000 & echo $! > inner; trap "echo told; exit 5" TERM; echo ready; while :; do sleep 0.05; done'
    with subprocess.Popen(
        [COMMAND, "serve", "--", "sh", "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as running:
        assert running.stdout.readline() == "ready\n"
        inner = int((tmp_path / "inner").read_text())
        running.send_signal(signal.SIGTERM)
        out, error = running.communicate(timeout=20)
    assert (running.returncode, out) == (5, "told\n"), error
    soon(lambda: not os.path.exists(f"/proc/{inner}"))
    with pytest.raises(ProcessLookupError):
        os.kill(inner, 0)


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_without_a_command_it_prints_the_variables_and_serves_until_it_is_told_to_stop(tmp_path, provider, told):
    import urllib.request

    from behind import COMMAND

    with subprocess.Popen(
        [COMMAND, "serve", "--upstream", f"openai={provider.url}", "--trajectory", "out.json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        lines = iter(running.stdout.readline, "")
        exported = {}
        for line in lines:
            name, _, value = line.removeprefix("export ").strip().partition("=")
            exported[name] = value
            if name == "no_proxy":
                break
        names = {"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST", "GROQ_BASE_URL"}
        assert names <= set(exported)
        assert exported["NO_PROXY"].endswith("localhost,127.0.0.1")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        assert opener.open(exported["OPENAI_BASE_URL"] + "/models", timeout=10).status == 200
        running.send_signal(told)
        _, error = running.communicate(timeout=20)
    assert running.returncode == 0, error
    assert "Traceback" not in error
    assert json.loads((tmp_path / "out.json").read_text())["format"] == "unitai.trajectory"


def test_a_budget_stops_a_program_before_it_spends(tmp_path):
    from behind import serve

    # An address that nobody answers at, and that is not this machine: what it would cost is not nothing.
    done = serve(tmp_path, "--budget", "0.000001", "--upstream", "openai=http://192.0.2.1:9", *ask())
    assert done.returncode != 0
    assert "the budget of the gateway does not allow another model call" in done.stderr


def test_prices_of_the_projects_file_count(tmp_path, provider):
    from behind import serve

    given = ("--budget", "0.000001", "--upstream", f"openai={provider.url}", *ask())
    # Models on this machine are free, unless somebody says what they cost.
    assert serve(tmp_path, *given).returncode == 0
    prices = f'[prices."{json.loads(BODY)["model"]}"]\ninput = 100\noutput = 100\n'
    (tmp_path / "unitai.toml").write_text(prices, encoding="utf-8")
    done = serve(tmp_path, *given)
    assert done.returncode != 0
    assert "the budget of the gateway does not allow another model call" in done.stderr
    (tmp_path / "unitai.toml").write_text("[prices]\nm = 5\n", encoding="utf-8")
    done = serve(tmp_path, *given)
    assert done.returncode == 2
    assert "unitai.toml:2:5" in done.stderr
