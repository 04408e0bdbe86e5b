"""Starting processes that can be told to stop."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """What a shell starts in the background is deaf to Ctrl-C, and so is whatever that starts: but not in here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
