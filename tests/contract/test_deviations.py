"""Where UnitAI deviates from the documents that it was built from: each row of docs/reference/deviations.md has its
reason, and names tests that exist.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from documented_rows import assert_shown, tables_of

pytestmark = pytest.mark.contract

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "deviations.md"
ROWS = [pytest.param(row, id=f"{section}: {row[0]}") for section, rows in tables_of(PAGE).items() for row in rows]


def test_every_section_has_rows():
    assert all(tables_of(PAGE).values())
    assert len(ROWS) > 50


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_a_reason_and_names_tests_that_exist(row):
    assert_shown(row, columns=4)


def test_the_readme_speaks_for_itself():
    readme = (PAGE.parent.parent.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name in ("Salus", "Sentrial") if name in readme] == []
