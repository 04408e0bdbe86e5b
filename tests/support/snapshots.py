"""Snapshots: text that may change only when somebody looked at the change.

`TESTS_UPDATE_SNAPSHOTS=1 pytest tests/regression` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path


def assert_snapshot(text: str, path: Path) -> None:
    """The text is what the file says."""
    if os.environ.get("TESTS_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert path.exists(), f"there is no snapshot {path.name}; make it with TESTS_UPDATE_SNAPSHOTS=1"
    assert text + "\n" == path.read_text(encoding="utf-8")
