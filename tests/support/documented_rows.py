"""Tables of the documents whose rows name the tests that show what they say."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent.parent


def tables_of(page: Path) -> dict[str, list[list[str]]]:
    """The cells of each row of the table in a section, without its head, by the section's heading."""
    found = {}
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]:
        heading, *lines = section.splitlines()
        rows = [line for line in lines if line.startswith("|")]
        found[heading] = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows[2:]]
    return found


@cache
def names_of_tests() -> frozenset[str]:
    """Every test of this project; those that stand in a text, for a test to run, are none."""
    return frozenset(
        node.name
        for path in TESTS.rglob("test_*.py")
        for scope in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(scope, ast.Module | ast.ClassDef)
        for node in scope.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


def assert_shown(row: list[str], columns: int) -> None:
    """A row says something in each column, and its last one names tests that exist."""
    assert len(row) == columns, f"expected {columns} columns: {row}"
    assert all(row), f"a cell is empty: {row}"
    named = re.findall(r"`(test_\w+)`", row[-1])
    assert named, f"no test shows: {row[0]}"
    missing = [name for name in named if name not in names_of_tests()]
    assert not missing, f"there is no test {', '.join(missing)}, which is to show: {row[0]}"
