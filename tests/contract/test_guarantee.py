"""Where the guarantee ends: each row of the table in docs/concepts/why-strict.md is demonstrated by tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "concepts" / "why-strict.md"


def rows() -> list[list[str]]:
    """The cells of each row of the table."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## Where the guarantee ends\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names_of_tests() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in texts for name in re.findall(r"^ *(?:async )?def (test_\w+)\(", text, re.M)}


def test_each_row_says_what_is_reported_and_names_tests_that_exist():
    known = names_of_tests()
    assert len(rows()) > 10
    for what, reported, tests in rows():
        assert what, tests
        assert reported, what
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"no test demonstrates: {what}"
        for name in named:
            assert name in known, f"there is no test {name}, which is to demonstrate: {what}"
