"""A browser, and reports to open in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def chromium():
    """The path of a browser."""
    if os.environ.get("TESTS_WITH_CHROMIUM") == "0":
        pytest.skip("the tests with Chromium run on another Python of the matrix")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "chromium.py"], capture_output=True, text=True, check=True, timeout=1300
    )
    if not done.stdout.strip():
        pytest.skip(done.stderr.strip())
    return done.stdout.strip()


@pytest.fixture(scope="module")
def browser(chromium):
    from browser import Browser

    opened = Browser(chromium)
    yield opened
    opened.close()
