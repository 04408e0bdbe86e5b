"""Where the guarantee ends: each row of the table in docs/concepts/why-strict.md is demonstrated by tests that exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from documented_rows import assert_shown, tables_of

pytestmark = pytest.mark.contract

PAGE = Path(__file__).parent.parent.parent / "docs" / "concepts" / "why-strict.md"


def test_each_row_says_what_is_reported_and_names_tests_that_exist():
    rows = tables_of(PAGE)["Where the guarantee ends"]
    assert len(rows) > 10
    for row in rows:
        assert_shown(row, columns=3)
