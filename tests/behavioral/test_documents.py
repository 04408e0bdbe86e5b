"""Runs the documents of this folder: each shows what an agent did, a check, and what the check finds.

A document is Markdown with cases of three blocks: `script` (what the agent did, a line each), `python`
(a check on `result`) and `finding` (what it finds) or `report` (the whole text).
"""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from registration import assert_registered

from unitai import AgentRunResult, InjectedFault, Trajectory, TrajectoryStep, match

pytestmark = pytest.mark.behavioral

HERE = Path(__file__).parent


class Case(NamedTuple):
    script: str
    check: str
    kind: str
    expected: str


def cases() -> list[object]:
    found = []
    for path in sorted(HERE.glob("*.md")):
        blocks = re.findall(
            r"^```(script|python|finding|report)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S
        )
        script = check = None
        count = 0
        for kind, text in blocks:
            if kind == "script":
                script = text
            elif kind == "python":
                check = text.strip()
            else:
                assert script is not None and check is not None, f"{path.name}: a {kind} without a script and a check"
                count += 1
                found.append(pytest.param(Case(script, check, kind, text.rstrip("\n")), id=f"{path.stem}-{count}"))
        assert count, f"{path.name} has no case"
    return found


def play(script: str) -> AgentRunResult:
    """The result that a script describes."""
    steps, input, output, error = [], None, None, None
    for line in script.strip().splitlines():
        word, _, rest = line.partition(" ")
        if word == "tool":
            name, _, rest = rest.partition(" ")
            rest, _, fault = rest.partition(" ~ ")
            rest, _, rejected = rest.partition(" !! ")
            rest, _, raised = rest.partition(" ! ")
            args, _, returned = rest.partition(" -> ")
            steps.append(
                TrajectoryStep(
                    tool_name=name, tool_args=json.loads(args or "{}"), tool_error=exception(raised or rejected),
                    tool_result=None if raised or rejected else json.loads(returned or "null"), rejected=bool(rejected),
                    fault=injected(fault),
                )
            )  # fmt: skip
        elif word == "model":
            rest, _, fault = rest.partition(" ~ ")
            name, prompt, completion, *cost = rest.split()
            steps.append(
                TrajectoryStep(
                    step_type="llm_call", model=name, prompt_tokens=int(prompt), completion_tokens=int(completion),
                    cost=float(cost[0]) if cost else None, fault=injected(fault),
                )
            )  # fmt: skip
        elif word == "state":
            key, old, new = rest.split()
            steps.append(
                TrajectoryStep(step_type="state_change", key=key, old_value=json.loads(old), new_value=json.loads(new))
            )
        elif word == "input":
            input = json.loads(rest)
        elif word == "output":
            output = json.loads(rest)
        elif word == "raises":
            error = exception(rest)
        else:
            assert word == "nothing", f"unknown line in a script: {line}"
    return AgentRunResult(Trajectory(input=input, steps=steps, final_output=output, error=error, duration_seconds=1.2))


def injected(text: str) -> InjectedFault | None:
    kind, _, words = text.partition(" ")
    return InjectedFault(kind, words or None, seed=7) if text else None


def exception(text: str) -> BaseException | None:
    if not text:
        return None
    name, _, message = text.partition(": ")
    return getattr(builtins, name)(message)


@pytest.mark.parametrize("case", cases())
def test_the_check_finds_what_the_document_says(case):
    finding = eval(case.check, {"result": play(case.script), "re": re, "match": match, **vars(match)})
    found = repr(finding)[1:-1] if case.kind == "finding" else str(finding)
    assert found == case.expected


def test_every_check_has_a_document():
    checks = {path.stem for path in (HERE.parent.parent / "crates" / "unitai_check" / "src" / "checks").glob("*.rs")}
    assert_registered(
        (checks - {"mod", "methods"}) | {"matches"},
        [path.stem for path in HERE.glob("*.md")],
        forgotten="write tests/behavioral/{name}.md: what the check holds for, and a case for each thing it can find",
    )
