"""The examples work as they stand: their own tests, and what they show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def run(example: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in the example's folder, without a key and without what this run was told."""
    hidden = ("OPENAI_", "PYTEST_ADDOPTS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run(
        [sys.executable, *command],
        cwd=EXAMPLES / example,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def needs_openai():
    pytest.importorskip("openai", reason="the example uses OpenAI's client")


def test_the_tests_of_the_openai_refund_agent_pass(needs_openai):
    done = run("openai_refund", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 passed" in done.stdout


def test_the_openai_refund_agent_shows_its_tokens_and_cost(needs_openai):
    done = run("openai_refund", "show.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1. [llm_call] gpt-4o (198 tokens, $0.00063)" in done.stdout
    assert re.search(r"^  Cost: \$0\.0023 \| Tokens: 744 \| Duration: ", done.stdout, re.M)


def test_the_recorded_test_of_the_readme_is_true_with_sockets_blocked(needs_openai, tmp_path):
    """The README shows it short; here it runs with the recordings of the example, and nothing may connect."""
    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python recorded\n(.*?)^```", readme, re.M | re.S)
    example = (EXAMPLES / "openai_refund" / "test_recorded.py").read_text(encoding="utf-8")
    fixture = example[: example.index("def test_")].replace("__file__", repr(str(EXAMPLES / "openai_refund" / "x.py")))
    blocked = """
import socket

def refuse(*_, **__):
    raise AssertionError("a connection was opened")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = refuse
"""
    (tmp_path / "test_readme.py").write_text(fixture + blocked + block, encoding="utf-8")
    (tmp_path / "agent.py").write_text((EXAMPLES / "openai_refund" / "agent.py").read_text(encoding="utf-8"))
    done = run(str(tmp_path), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--unitai-cache=replay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
