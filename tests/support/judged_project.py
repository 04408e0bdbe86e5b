"""A project with YAML tests that somebody judges: by the scripted program, by a service on this machine, or by nobody."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple

from projects import SUPPORT
from yaml_project import YamlProject

#: The exit code of each verdict, by the way in which tests are run.
CODES = {
    "pytest": {"PASS": 0, "FAIL": 1, "UNCLEAR": 0, "ERROR": 1},
    "command": {"PASS": 0, "FAIL": 1, "UNCLEAR": 0, "ERROR": 2},
}


class Ended(NamedTuple):
    """What came of one test."""

    code: int
    word: str
    reason: str
    out: str
    #: How each step ended, in words.
    steps: list[str]


class JudgedProject(YamlProject):
    """Whoever is asked is the scripted program, until a test says otherwise."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        #: What stands in the environment of all that is started here.
        self.variables: dict[str, str] = {"UNITAI_JUDGE_PROVIDER": "command"}
        self.settings()
        self.judge()

    def settings(self, further: str = "", judge: str = "", command: list[str] | None = None) -> None:
        """Writes the project's file: further tables, further keys of the table `judge`, and another program than ours."""
        ours = [sys.executable, str(SUPPORT / "judging_program.py")]
        words = json.dumps(ours if command is None else command)
        text = f"[tool.unitai.judge]\ncommand = {words}\n{judge}\n{further}"
        (self.folder / "pyproject.toml").write_text(text, encoding="utf-8")

    def judge(self, **script: Any) -> None:
        """Says what the program says."""
        (self.folder / "judge.json").write_text(json.dumps(script), encoding="utf-8")

    def environment(self, **variables: str) -> dict[str, str]:
        return super().environment(**{**self.variables, **variables})

    @property
    def started(self) -> list[dict[str, Any]]:
        """What the program was asked, all of it."""
        file = self.folder / "asked.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the program was asked about tests."""
        return [it for it in self.started if not it["is_canary"]]

    def forget(self) -> None:
        """As if the program had never been started."""
        (self.folder / "asked.jsonl").unlink(missing_ok=True)

    def ended(self, way: str, *args: object) -> Ended:
        """Runs the only test there is."""
        if way == "command":
            code, out = self.run(way, "--json", *args)
            told = next((json.loads(line) for line in out.splitlines() if line.startswith("{")), None)
            assert told, out
            steps = [f"{it['path']} {it['status']}: {it['details']}" for it in told["steps"]]
            return Ended(code, told.get("verdict") or told["ending"].upper(), told["reason"], out, steps)
        code, out = self.run(way, "-rA", "--junitxml=out.xml", *args)
        found = ET.parse(self.folder / "out.xml").getroot().iter("property")
        properties = {it.get("name"): it.get("value") for it in found}
        steps = [f"{name} {value}" for name, value in properties.items() if str(name).startswith("llm.step.")]
        return Ended(code, properties.get("llm.verdict") or "", properties.get("llm.reason") or "", out, steps)

    @property
    def kept(self) -> dict[str, Any]:
        """The answers that are kept of the only test there is."""
        (file,) = (self.folder / "tests" / "llm" / "answers").iterdir()
        return json.loads(file.read_text(encoding="utf-8"))
