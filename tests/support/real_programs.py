"""The real Claude Code, Codex and Gemini CLI: where they are, what their models call things, and surroundings in which
they reach a scripted model and nobody else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from unitai.script import call, say


class Program(NamedTuple):
    """A program, and what its model calls things."""

    provider: str
    #: As it is looked up on the path.
    name: str
    #: The variable that says where it is.
    variable: str
    model: str
    #: What stands before the name of a tool of our server.
    prefix: str
    #: Whether it answers by a tool that it makes of the schema.
    answers_by_tool: bool = False

    @property
    def path(self) -> Path:
        """Where it is. A test of one that is not here is skipped, with what whoever tried to install it says."""
        found = os.environ.get(self.variable)
        if not found:
            why = f"{self.variable} is not set: `make agents` installs {self.name}"
            pytest.skip(os.environ.get(f"{self.variable}_MISSING", why))
        return Path(found)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Its model calls a tool of our server."""
        return call(f"{self.prefix}{tool}", arguments)

    def answer(self, answer: dict[str, Any]) -> Any:
        """Its model answers in the form of a schema."""
        return call("StructuredOutput", answer) if self.answers_by_tool else say(json.dumps(answer))


PROGRAMS = [
    Program("claude-code", "claude", "TESTS_CLAUDE", "sonnet", "mcp__llm_pytest__", answers_by_tool=True),
    Program("codex", "codex", "TESTS_CODEX", "mock-model", "mcp__llm_pytest__"),
    Program("gemini-cli", "gemini", "TESTS_GEMINI", "gemini-2.5-flash", "mcp_llm_pytest_"),
]


def surroundings(environment: Mapping[str, str], url: str, home: Path) -> dict[str, str]:
    """An environment in which they ask the service at an address, keep what they keep in a folder, and get no further."""
    private = home / "tmp"
    private.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in environment.items() if not name.lower().endswith(("_proxy", "_base_url"))}
    # What is not on this machine cannot be reached.
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "none")
    urls = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "GOOGLE_GEMINI_BASE_URL": url}
    return {**kept, **nowhere, **keys, **urls, "HOME": str(home), "TMPDIR": str(private)}
