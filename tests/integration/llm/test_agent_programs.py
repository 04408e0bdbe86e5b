"""The real Claude Code, Codex and Gemini CLI, offline: they answer in the form that is asked for, and call a tool of our
server. `make agents` installs them, and runs this where there is no network at all; what is not there is skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from real_programs import PROGRAMS, Program, surroundings
from scripted_service import Service

from unitai.script import fail, when

pytestmark = [pytest.mark.integration, pytest.mark.skipif(sys.platform != "linux", reason="programs of Linux")]

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(sys.executable).parent / "unitai"
ANSWER = {"verdict": "PASS", "reason": "it is equal"}
ARGUMENTS = {"actual": 1, "expected": 1}


@pytest.fixture(scope="module")
def asking() -> Path:
    """The small program that asks a provider; for nobody it is not built."""
    if not any(os.environ.get(it.variable) for it in PROGRAMS):
        pytest.skip("no program is here: `make agents` installs them")
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("the program that asks a provider is built with cargo, which is not here")
    build = [cargo, "build", "--quiet", "-p", "unitai_judge", "--example", "provider"]
    subprocess.run(build, cwd=ROOT, check=True, timeout=1800)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "examples" / "provider"


@pytest.fixture(params=PROGRAMS, ids=lambda it: it.provider)
def program(request: pytest.FixtureRequest) -> Program:
    assert request.param.path
    return request.param


def run(asking: Path, program: Program, service: Service, home: Path, what: str, *reach: str) -> dict[str, Any]:
    done = subprocess.run(
        [asking, program.provider, program.path, what, program.model, *reach],
        input="Is one one?",
        env=surroundings(os.environ, service.url, home),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert not list((home / "tmp").glob("unitai-*")), "a private folder is left"
    return json.loads(done.stdout)["said"]


def test_it_answers_in_the_form_that_is_asked_for(asking, program, tmp_path):
    service = Service([program.answer(ANSWER)])
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
    service = Service([program.call("assert_equals", **ARGUMENTS), program.answer(ANSWER)])
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
        script = [program.call("assert_equals", **ARGUMENTS).unchecked(), program.answer(ANSWER)]
    else:
        # It may have begun to ask when it is ended.
        script = [when(re.compile("")).always(program.answer(ANSWER))]
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
