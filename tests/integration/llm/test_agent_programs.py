"""The real Claude Code, Codex and Gemini CLI, offline: they answer in the form that is asked for, and call a tool of our
server. `scripts/agent_programs.py` installs them and says where they are; what is not there is skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scripted_service import Service

from unitai.script import call, fail, say, when

pytestmark = [pytest.mark.integration, pytest.mark.skipif(sys.platform != "linux", reason="programs of Linux")]

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(sys.executable).parent / "unitai"
ANSWER = {"verdict": "PASS", "reason": "it is equal"}
ARGUMENTS = {"actual": 1, "expected": 1}


class Program(NamedTuple):
    """A program, and what its model calls things."""

    provider: str
    variable: str
    model: str
    tool: str
    #: Whether it answers by a tool that it makes of the schema.
    answers_by_tool: bool = False

    def answer(self) -> Any:
        return call("StructuredOutput", **ANSWER) if self.answers_by_tool else say(json.dumps(ANSWER))


PROGRAMS = [
    Program("claude-code", "TESTS_CLAUDE", "sonnet", "mcp__llm_pytest__assert_equals", answers_by_tool=True),
    Program("codex", "TESTS_CODEX", "mock-model", "mcp__llm_pytest__assert_equals"),
    Program("gemini-cli", "TESTS_GEMINI", "gemini-2.5-flash", "mcp_llm_pytest_assert_equals"),
]


@pytest.fixture(scope="module")
def asking() -> Path:
    """The small program that asks a provider."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("the program that asks a provider is built with cargo, which is not here")
    build = [cargo, "build", "--quiet", "-p", "unitai_judge", "--example", "provider"]
    subprocess.run(build, cwd=ROOT, check=True, timeout=1800)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "examples" / "provider"


@pytest.fixture(params=PROGRAMS, ids=lambda it: it.provider)
def program(request: pytest.FixtureRequest) -> Program:
    if not os.environ.get(request.param.variable):
        pytest.skip(f"{request.param.variable} is not set: scripts/agent_programs.py installs the program")
    return request.param


def run(asking: Path, program: Program, service: Service, home: Path, what: str, *reach: str) -> dict[str, Any]:
    home.mkdir(exist_ok=True)
    private = home / "tmp"
    private.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith(("_proxy", "_base_url"))}
    # What is not on this machine cannot be reached.
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "none")
    urls = {
        "ANTHROPIC_BASE_URL": service.url,
        "OPENAI_BASE_URL": f"{service.url}/v1",
        "GOOGLE_GEMINI_BASE_URL": service.url,
    }
    done = subprocess.run(
        [asking, program.provider, os.environ[program.variable], what, program.model, *reach],
        input="Is one one?",
        env={**kept, **nowhere, **keys, **urls, "HOME": str(home), "TMPDIR": str(private)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert not list(private.glob("unitai-*")), "a private folder is left"
    return json.loads(done.stdout)["said"]


def test_it_answers_in_the_form_that_is_asked_for(asking, program, tmp_path):
    service = Service([program.answer()])
    with service as model:
        said = run(asking, program, service, tmp_path / "home", "ask")
    assert said.get("structured") == ANSWER, said
    assert said["input_tokens"] > 0 < said["output_tokens"]
    (request,) = model.requests
    assert "Is one one?" in json.dumps(request.messages)
    assert "You judge evidence." in request.system + json.dumps(request.messages)
    own = {"Bash", "Edit", "Read", "shell", "exec_command", "apply_patch", "run_shell_command", "write_file"}
    assert not own & set(request.tools), request.tools


def test_it_calls_a_tool_of_our_server(asking, program, tmp_path):
    service = Service([call(program.tool, **ARGUMENTS), program.answer()])
    token, log = tmp_path / "token", tmp_path / "calls.jsonl"
    words = [COMMAND, "mcp", "--http", "--root", tmp_path, "--token-file", token, "--log", log]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            with service:
                said = run(asking, program, service, tmp_path / "home", "drive", url, token.read_text().strip())
        finally:
            server.terminate()
    assert said.get("structured") == ANSWER, said
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(it["tool"], it["args"], it["outcome"]) for it in calls] == [("assert_equals", ARGUMENTS, "returned")]


def test_a_server_that_is_not_there_is_trouble_and_no_answer(asking, program, tmp_path):
    if program.provider == "gemini-cli":
        script = [call(program.tool, **ARGUMENTS), program.answer()]
    else:
        # It may have begun to ask when it is ended.
        script = [when(re.compile("")).always(program.answer())]
    service = Service(script)
    with service:
        said = run(asking, program, service, tmp_path / "home", "drive", "http://127.0.0.1:9/mcp", "none")
    assert said.get("trouble") == "Broken", said
    assert "did not reach the tools of the test" in said["text"]


def test_who_is_not_known_is_told_how_to_log_in(asking, program, tmp_path):
    # Some ask more than once.
    service = Service([when(re.compile("")).always(fail(401, "who are you?"))])
    with service:
        said = run(asking, program, service, tmp_path / "home", "ask")
    assert said.get("trouble") == "Absent", said
    assert "log in" in said["text"] or "login" in said["text"]
