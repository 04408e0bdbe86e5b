"""Programs in a process of their own, for what might hang, crash or end the interpreter."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run_program(code: str, *options: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs the code in a fresh interpreter. One that hangs fails the test instead of stopping the suite."""
    command = [sys.executable, *options, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
