"""Other plugins of pytest, in a folder beside the environment: in it they would take part in every test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "companions.py"


def installed() -> str:
    """The folder, to be put on PYTHONPATH. They are installed once."""
    done = subprocess.run([sys.executable, _SCRIPT], capture_output=True, text=True, check=False, timeout=400)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
