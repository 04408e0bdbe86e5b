"""YAML tests are recorded and replayed: the same verdict, without tools, judge and network."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"

JUDGE = """
asked = []

def pytest_unitai_judge(item):
    def judge(name, description, questions, evidence):
        asked.extend(question["text"] for question in questions)
        quoted = [("E1", evidence[0]["text"][:20])]
        return [
            {"id": each["id"], "answer": "no" if each["kind"] == "fail_if" else "yes", "why": "seen", "quotes": quoted}
            for each in questions
        ]
    return judge

def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"asked {len(asked)}")
"""

TEST = """
test: {name: Users}
steps:
  - name: Fetch
    tool: http_get
    args: {url: "%s/users", headers: {Authorization: "Bearer ${env.SHOP_API_KEY}"}}
    check: [status_code == 200, 'json(body).users | length == 2']
    expect: Names look like real people
verdict: {pass_if: Users are there, fail_if: Something is missing}
"""


@pytest.fixture
def shop():
    """A server that counts how often it is asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.headers["Authorization"])
            body = json.dumps({"users": ["Ada", "Grace"]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def project(pytester, shop, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "shop-5b1f9c0e7d3a4826")
    pytester.makeconftest(JUDGE)
    folder = pytester.mkdir("tests") / "llm"
    folder.mkdir()
    (folder / "users.yaml").write_text(TEST % shop[0])
    return folder


def test_a_recording_gives_the_same_verdict_with_the_server_gone(pytester, shop, project):
    result = pytester.runpytest_subprocess("--llm", "--llm-mode=record")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["asked 3"])
    (kept,) = (project / "recordings").iterdir()
    # The server got the key; nobody who reads the file does.
    assert shop[1] == ["Bearer shop-5b1f9c0e7d3a4826"]
    assert "5b1f9c0e7d3a4826" not in kept.read_text()

    again = pytester.runpytest_subprocess("--llm", "--llm-mode=replay", "--llm-verbose")
    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines(["asked 0"])
    assert len(shop[1]) == 1


def test_a_test_that_changed_is_no_longer_answered(pytester, project):
    pytester.runpytest_subprocess("--llm", "--llm-mode=record").assert_outcomes(passed=1)
    file = project / "users.yaml"
    file.write_text(file.read_text().replace("/users", "/people"))
    result = pytester.runpytest_subprocess("--llm", "--llm-mode=replay")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the recording has http_get called with*", "*record the test again*"])


def test_what_was_never_recorded_is_an_error_with_a_remedy(pytester, project):
    result = pytester.runpytest_subprocess("--llm", "--llm-mode=replay")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no recording to replay*", "*--llm-mode=record*"])


def test_a_judge_that_raises_is_an_error_and_never_a_verdict(pytester, project):
    pytester.makeconftest(
        "def pytest_unitai_judge(item):\n"
        "    def judge(*brief):\n        raise TimeoutError('the judge is asleep')\n    return judge\n"
    )
    result = pytester.runpytest_subprocess("--llm")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the judge failed*asleep*"])


ECHO = """
test: {name: Keys}
steps:
  - name: Ask
    tool: store_value
    args: {name: key, value: "${env.SHOP_API_KEY}"}
    check: [%s]
verdict: checks
"""


@pytest.mark.parametrize(
    ("check", "word"),
    [
        ("'not (${env.SHOP_API_KEY} in text)'", "failed"),
        ("'value == ${env.SHOP_API_KEY}'", "passed"),
        ("stored == 'key'", "passed"),
    ],
)
def test_a_replay_without_secrets_gives_the_same_verdict(pytester, project, check, word):
    (project / "users.yaml").write_text(ECHO % check)
    for mode in ("record", "replay"):
        pytester.runpytest_subprocess("--llm", f"--llm-mode={mode}").assert_outcomes(**{word: 1})


@pytest.mark.parametrize("check", ["value | length == 21", "{match: {value: '#regex ^shop-.*'}}"])
def test_a_run_whose_check_looks_at_a_secret_itself_is_not_recorded(pytester, project, check):
    (project / "users.yaml").write_text(ECHO % check)
    pytester.runpytest_subprocess("--llm").assert_outcomes(passed=1)
    result = pytester.runpytest_subprocess("--llm", "--llm-mode=record")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*cannot be recorded (PASS)*it is FAIL, and was PASS; at steps*0* it is fail*"])
    assert not (project / "recordings").exists()
    command = [COMMAND, "yaml", "run", "users.yaml", "--record"]
    ran = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (ran.returncode, "cannot be recorded" in ran.stdout) == (2, True), ran.stdout + ran.stderr
    assert not (project / "recordings").exists()


def test_a_judge_that_is_a_function_gets_no_secret(pytester, project):
    text = ECHO % "stored == 'key'"
    verdict = 'verdict: {pass_if: "The key is shop-5b1f9c0e7d3a4826", fail_if: ""}'
    (project / "users.yaml").write_text(text.replace("verdict: checks", verdict))
    pytester.makeconftest(
        "def pytest_unitai_judge(item):\n"
        "    def judge(name, description, questions, evidence):\n"
        "        assert '5b1f9c0e' not in str(questions) + str(evidence)\n"
        "        return [{'id': 'Q1', 'answer': 'yes', 'quotes': [('E1', '[redacted]')], 'why': 'seen'}]\n"
        "    return judge\n"
    )
    pytester.runpytest_subprocess("--llm", "--llm-mode=record").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("--llm", "--llm-mode=replay").assert_outcomes(passed=1)
