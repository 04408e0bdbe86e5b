"""Finds Chromium for the tests of the HTML report, or installs Debian's package where that is allowed.

Prints the path of the browser. Where there is none and none can be installed it says so, and the tests that need one
are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HINT = "TESTS_CHROMIUM names a browser that is somewhere else"


def main() -> int:
    found = find() or install()
    if found:
        print(found)
    return 0


def find() -> str | None:
    """The browser that is named, or one on the path."""
    named = os.environ.get("TESTS_CHROMIUM")
    if named:
        return named
    return next((path for path in map(shutil.which, NAMES) if path), None)


def install() -> str | None:
    """Debian's package, for root alone: nobody is asked for a password."""
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        complain(f"there is no Chromium on the path; {HINT}")
        return None
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        try:
            done = subprocess.run(
                [apt, "-qq", *words], capture_output=True, text=True, check=False, timeout=600, env=quiet
            )
        except (OSError, subprocess.SubprocessError) as error:
            complain(f"Chromium could not be installed: {error}; {HINT}")
            return None
    found = find()
    if found is None:
        complain(f"Chromium could not be installed: {done.stderr.strip()[-400:]}; {HINT}")
    return found


def complain(why: str) -> None:
    print(f"the tests with Chromium are skipped: {why}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
