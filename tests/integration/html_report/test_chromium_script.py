"""`scripts/chromium.py`: a browser, or a reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

SCRIPT = Path(__file__).parent.parent.parent.parent / "scripts" / "chromium.py"


def _found(**env):
    bare = {name: value for name, value in os.environ.items() if name not in ("PATH", "TESTS_CHROMIUM")}
    return subprocess.run(
        [sys.executable, SCRIPT], capture_output=True, text=True, check=False, timeout=60, env={**bare, **env}
    )


def test_one_that_is_named_or_on_the_path_is_found(tmp_path):
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    found = _found(PATH=str(tmp_path))
    assert (found.returncode, found.stdout, found.stderr) == (0, f"{program}\n", "")
    named = _found(PATH=str(tmp_path), TESTS_CHROMIUM="/opt/chrome")
    assert (named.returncode, named.stdout, named.stderr) == (0, "/opt/chrome\n", "")


def test_where_there_is_none_the_reason_is_told(tmp_path):
    none = _found(PATH=str(tmp_path))
    assert (none.returncode, none.stdout) == (0, "")
    assert none.stderr == (
        "the tests with Chromium are skipped: there is no Chromium on the path; "
        "TESTS_CHROMIUM names a browser that is somewhere else\n"
    )


def test_a_package_that_cannot_be_installed_is_told(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root installs packages")
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'no network' >&2\nexit 100\n", encoding="utf-8")
    apt.chmod(0o755)
    none = _found(PATH=str(tmp_path))
    assert (none.returncode, none.stdout) == (0, "")
    assert "Chromium could not be installed: no network" in none.stderr
