"""Judges whose answers are known, for YAML tests: the engine asks them as it would ask a model's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Judge = Callable[[str, str, list[dict[str, str]], list[dict[str, Any]]], list[dict[str, Any]]]


def content(name: str, description: str, questions: list[dict[str, str]], evidence: list[Any]) -> list[dict[str, Any]]:
    """Everything is as it should be."""
    return [{"id": it["id"], "answer": "no" if it["kind"] == "fail_if" else "yes"} for it in questions]


def alarmed(name: str, description: str, questions: list[dict[str, str]], evidence: list[Any]) -> list[dict[str, Any]]:
    """What must not be is so."""
    return [{"id": it["id"], "answer": "yes", "why": "so it says"} for it in questions]


def silent(name: str, description: str, questions: list[dict[str, str]], evidence: list[Any]) -> list[dict[str, Any]]:
    """Knows nothing."""
    return []


def broken(name: str, description: str, questions: list[dict[str, str]], evidence: list[Any]) -> list[dict[str, Any]]:
    """Cannot be asked."""
    raise RuntimeError("the judge has no key")


def conftest(judge: Judge) -> str:
    """What a conftest says to have this judge."""
    return f"import scripted_judge\ndef pytest_unitai_judge(item):\n    return scripted_judge.{judge.__name__}\n"
