"""What a program leaves behind: processes are known by a variable of their environment, by their group, and by a number
that they wrote down themselves.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

#: The variable that everything inherits which a test starts.
MARK = "TESTS_MARK"


def marked(mark: str) -> list[int]:
    """The processes, besides this one, whose environment has the mark."""
    sought = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        number = int(folder.name)
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if number != os.getpid() and sought in environment.split(b"\0") and is_alive(number):
            found.append(number)
    return found


def is_alive(number: int) -> bool:
    """Whether a process is there, and not only waiting to be forgotten by its parent."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def is_group_alive(group: int) -> bool:
    """Whether any process of a group is there."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[2]) == group:
            return True
    return False


def soon(holds: object, seconds: float = 5.0) -> bool:
    """Whether something comes to hold: a process that was killed is gone a little later."""
    assert callable(holds)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return bool(holds())
