"""What tests share is imported by its bare name, from several folders: two of one name would stand in for each other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

TESTS = Path(__file__).parent.parent


def test_no_two_helpers_have_one_name():
    helpers = [
        path.stem
        for path in TESTS.rglob("*.py")
        if not path.stem.startswith("test_") and path.stem not in ("conftest", "__init__")
    ]
    assert "repeating" in helpers
    assert [name for name, times in Counter(helpers).items() if times > 1] == []
