"""A small stand-in for GitHub's runner: it reads an action, fills its expressions in, and runs its steps in bash.

What it knows is what the action uses. An expression that it does not know is an error, not an empty text.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Ran(NamedTuple):
    """A job that used the action."""

    #: Whether every step was well.
    is_well: bool
    #: What went to the log.
    log: str
    #: The outputs of the action, and the commands of the log that the runner would have obeyed.
    outputs: dict[str, str]
    commands: list[str]
    #: The steps that use another action, with what they were given.
    used: dict[str, dict[str, str]]
    summary: str


def load(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def run_action(folder: Path, project: Path, inputs: dict[str, str], environment: dict[str, str]) -> Ran:
    """Runs the action in `folder` for a project, as a job would."""
    action = load(folder / "action.yml")
    known = {name: str(about.get("default", "")) for name, about in action["inputs"].items()}
    assert set(inputs) <= set(known), "an input that the action does not have"
    values = {"inputs": {**known, **inputs}, "steps": {}}
    temp = project.parent / "runner"
    temp.mkdir(exist_ok=True)
    summary = temp / "summary.md"
    summary.write_text("", encoding="utf-8")
    log, commands, used, is_well = "", [], {}, True
    for number, step in enumerate(action["runs"]["steps"]):
        if not holds(step.get("if", "success()"), values, is_well):
            continue
        if "uses" in step:
            used[step["uses"]] = {name: filled(text, values) for name, text in step["with"].items()}
            continue
        assert step["shell"] == "bash"
        output = temp / f"output-{number}"
        files = {name: str(temp / f"{name}-{number}") for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")}
        output.write_text("", encoding="utf-8")
        script = temp / f"step-{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        own = {name: filled(text, values) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=project / filled(step.get("working-directory", "."), values),
            env={
                **environment,
                **own,
                **files,
                "GITHUB_ACTION_PATH": str(folder),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_ACTIONS": "true",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
            check=False,
        )
        is_well = is_well and done.returncode == 0
        log += done.stdout
        commands += obeyed(done.stdout)
        if "id" in step:
            values["steps"][step["id"]] = read_outputs(output.read_text(encoding="utf-8"))
        assert not [path for path in files.values() if os.path.exists(path)], "a file for later steps was written"
    outputs = {name: filled(about["value"], values) for name, about in action["outputs"].items()}
    return Ran(is_well, log, outputs, commands, used, summary.read_text(encoding="utf-8"))


def filled(text: Any, values: dict[str, Any]) -> str:
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: value_of(found[1], values), str(text))


def value_of(path: str, values: dict[str, Any]) -> str:
    if found := re.fullmatch(r"inputs\.([\w-]+)", path):
        return values["inputs"][found[1]]
    found = re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", path)
    assert found, f"an expression that is not known here: {path}"
    return values["steps"].get(found[1], {}).get(found[2], "")


def holds(condition: str, values: dict[str, Any], is_well: bool) -> bool:
    """Whether a step is run. Without `always()` it is not, after one that failed."""
    parts = re.sub(r"^\$\{\{\s*|\s*\}\}$", "", condition).split(" && ")
    truths = [is_well] if "always()" not in parts else []
    for part in parts:
        if part in ("always()", "success()"):
            continue
        left, compared, right = part.split(" ")
        assert compared in ("==", "!=")
        truths.append((value_of(left, values) == right.strip("'")) == (compared == "=="))
    return all(truths)


def read_outputs(text: str) -> dict[str, str]:
    """What the runner reads from `$GITHUB_OUTPUT`: `name=value`, or lines between marks."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        if found := re.fullmatch(r"([\w-]+)<<(.+)", line):
            value = []
            for inner in lines:
                if inner == found[2]:
                    break
                value.append(inner)
            outputs[found[1]] = "\n".join(value)
        else:
            name, _, value = line.partition("=")
            assert re.fullmatch(r"[\w-]+", name), f"no output: {line}"
            outputs[name] = value
    return outputs


def obeyed(log: str) -> list[str]:
    """The commands of a log that the runner would obey."""
    commands, stopped_by = [], None
    for line in log.splitlines():
        if stopped_by is not None:
            stopped_by = None if line.strip() == f"::{stopped_by}::" else stopped_by
        elif found := re.match(r"\s*::stop-commands::(.+)", line):
            stopped_by = found[1].strip()
        elif re.match(r"\s*(::[\w-]+( .*)?::|##\[)", line):
            commands.append(line)
    return commands
