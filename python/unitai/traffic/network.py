"""No connection leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unitai._engine import block_network as block
from unitai._engine import unblock_network as unblock
from unitai.traffic.door import close_door, open_door
from unitai.traffic.sockets import guard_sockets, unguard_sockets

__all__ = ["block_network"]


@contextmanager
def block_network() -> Iterator[None]:
    """Refuses every connection to the outside, from any thread of this process, and names who wanted it.

    >>> import socket
    >>> from unitai import NetworkBlockedError, block_network
    >>> with block_network():
    ...     try:
    ...         socket.create_connection(("example.com", 443))
    ...     except NetworkBlockedError as error:
    ...         print(error.code)
    UA307
    """
    open_door()  # gRPC opens its connections where no guard on sockets sees them.
    guard_sockets()
    block()
    try:
        yield
    finally:
        unblock()
        unguard_sockets()
        close_door()
