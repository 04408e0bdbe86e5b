"""Runs a command where there is no network but loopback.

    unshare -rn python scripts/offline.py COMMAND ...

A new network has a loopback that is down: this raises it, and becomes the command.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

#: From <linux/sockios.h> and <linux/if.h>.
SET_FLAGS, UP = 0x8914, 0x1


def before() -> list[str]:
    """The words to write before a command; none where the system does not let us."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    words = [unshare, "-rn", sys.executable, str(Path(__file__).resolve())]
    tried = subprocess.run([*words, sys.executable, "-c", ""], capture_output=True, check=False)
    return words if tried.returncode == 0 else []


def raise_loopback() -> None:
    """Makes 127.0.0.1 work in a network that is new."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))


if __name__ == "__main__":
    raise_loopback()
    os.execvp(sys.argv[1], sys.argv[1:])
