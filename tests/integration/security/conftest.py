"""A project to attack."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "traffic")]


@pytest.fixture
def around():
    from attack import Surroundings

    # Folders of pytest are closed to other users; in this one only what the product closes is closed.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Surroundings(Path(folder))
