"""The table of entry points in docs/security.md is whole, and the tests that it names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
COMMAND = Path(sys.executable).parent / "unitai"
SECTION = re.search(
    r"## Who may use what\n(.*?)\n## ", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"), re.S
)
ROWS = [line.strip("|").split("|") for line in SECTION[1].splitlines() if line.startswith("| ")][1:]


def test_every_command_and_variable_is_in_it():
    entries = "\n".join(row[0] for row in ROWS)
    told = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) {2,}", told.partition("Commands:")[2].partition("Options:")[0], re.M)
    assert len(commands) > 10
    missing = [name for name in commands if name != "help" and f"unitai {name}" not in entries]
    assert missing == [], "add a row to docs/security.md, Who may use what"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_its_rows_name_tests_that_exist(row):
    entry, users, enforcement, proof = (cell.strip() for cell in row)
    assert entry and users and enforcement
    file, _, name = proof.strip("`").partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not name or re.search(rf"(?:def|fn) {name}\(", text), f"{file} has no test {name}"
