"""A judge whose answers a test writes down. It reads the request as a model would, looks its quotes up, and tells right from
wrong where it is asked about a canary.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

#: What a canary says of an order.
CANARY = re.compile(r"The order (\w+) is (\w+)(?:, and its receipt is (\w+))?\.")


def questions(prompt: str) -> dict[str, str]:
    """What is asked, by its name."""
    head = prompt.partition(" evidence begins\n")[0]
    found = re.findall(r"^(Q\d+) \(.*\): is this so\?\n((?: {4}.*\n)+)", head, re.MULTILINE)
    return {name: textwrap.dedent(text).strip() for name, text in found}


def records(prompt: str) -> dict[str, dict[str, str]]:
    """The evidence: the parts of each record, by its name."""
    found = re.search(r"^(\w+) evidence begins$", prompt, re.MULTILINE)
    assert found, prompt
    word = found[1]
    told: dict[str, dict[str, str]] = {}
    parts: dict[str, str] = {}
    part = ""
    for line in prompt[found.end() :].partition(f"\n{word} evidence ends")[0].splitlines():
        if begun := re.match(rf"{word} (E\d+): ", line):
            parts = told[begun[1]] = {}
        elif begun := re.match(rf"{word} (.*):$", line):
            part = begun[1]
            parts[part] = ""
        elif parts:
            parts[part] += f"{line}\n"
    return told


def is_canary(prompt: str) -> bool:
    """Whether it is asked only to see what it says."""
    return all(CANARY.fullmatch(text) for text in questions(prompt).values())


def answers(prompt: str, said: dict[str, Any]) -> dict[str, Any]:
    """What it says: `said` has a word for each question, or a word with a quote and a reason."""
    evidence = records(prompt)
    return {"answers": [_answer(name, text, evidence, said) for name, text in questions(prompt).items()]}


def _answer(name: str, text: str, evidence: dict[str, dict[str, str]], said: dict[str, Any]) -> dict[str, Any]:
    canary = CANARY.fullmatch(text)
    given = _seen(canary, evidence) if canary else said.get(text, "unknown")
    given = given if isinstance(given, dict) else {"answer": given}
    quotes = []
    if "quote" in given:
        quotes = [{"ref": given.get("ref") or _where(given["quote"], evidence), "quote": given["quote"]}]
    elif given["answer"] == "yes":
        reference, parts = next(iter(evidence.items()))
        words = parts.get("result") or parts.get("error") or parts["arguments"]
        quotes = [{"ref": reference, "quote": words.strip().splitlines()[0][:40]}]
    return {"id": name, "answer": given["answer"], "evidence": quotes, "why": given.get("why", "so it says")}


def _where(quote: str, evidence: dict[str, dict[str, str]]) -> str:
    return next((name for name, parts in evidence.items() if quote in "\n".join(parts.values())), "E1")


def _seen(canary: re.Match[str], evidence: dict[str, dict[str, str]]) -> dict[str, Any]:
    order, state, _ = canary.groups()
    for name, parts in evidence.items():
        record = json.loads(parts["result"])
        if record["order"] == order and record["status"] == state:
            return {"answer": "yes", "ref": name, "quote": f'"status":"{state}"'}
    return {"answer": "no"}
