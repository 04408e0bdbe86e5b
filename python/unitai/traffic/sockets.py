"""The guard on sockets: connections that nobody allowed are refused where they would begin.

It is there only while somebody asks for it. The engine decides; here it is only told who wants to
go where. A connection is judged by the name that was looked up for it, not by the number found.
"""

from __future__ import annotations

import os
import socket
import sys
import sysconfig
import threading
from typing import Any

from unitai._engine import refuse_connection
from unitai.traffic.patches import Patch, Patches

#: What clients read to find their proxy.
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")

#: Where Python keeps its own modules.
_LIBRARIES = sysconfig.get_path("stdlib")

_lock = threading.Lock()
_guards = 0
_patches = Patches()
#: The names behind the addresses that were looked up under guard.
_names: dict[str, str] = {}


def guard_sockets() -> None:
    """Installs the guard, unless it is there. Each call needs one `unguard_sockets`."""
    global _guards  # noqa: PLW0603
    with _lock:
        _guards += 1
        if _guards == 1:
            for patch in _PATCHES:
                _patches.apply(patch)


def unguard_sockets() -> None:
    """Takes the guard away when nobody needs it any more."""
    global _guards  # noqa: PLW0603
    with _lock:
        if _guards > 0:
            _guards -= 1
        if _guards == 0:
            _patches.undo()
            _names.clear()


def _judge(host: Any, port: Any, family: str) -> None:
    """Raises what the engine has against this connection. A function of ours that outlived its guard
    has nothing to ask.
    """
    if _guards == 0:
        return
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("utf-8", "replace")
    name = "" if host is None else str(host)
    if _is_proxy(name, _number(port)):
        # On this machine, but it leads out of it.
        name = "a proxy on this machine"
    error = refuse_connection(_names.get(name, name), _number(port), family)
    if error is not None:
        raise error


def _is_proxy(host: str, port: int | None) -> bool:
    """Whether the environment sends what leaves this machine through here."""
    proxies = (os.environ.get(name) or os.environ.get(name.upper()) for name in _PROXIES)
    return any(
        f"//{proxy.rpartition('//')[2]}/".endswith((f"//{host}:{port}/", f"@{host}:{port}/"))
        for proxy in proxies
        if proxy
    )


def _judge_address(sock: Any, address: Any) -> None:
    family = _family(sock.family)
    if isinstance(address, tuple) and len(address) >= 2:
        _judge(address[0], address[1], family)
    else:
        _judge(address, None, family)


def _family(family: Any) -> str:
    try:
        return socket.AddressFamily(family).name
    except ValueError:
        return str(family)


def _number(port: Any) -> int | None:
    try:
        return None if port is None else int(port)
    except (TypeError, ValueError):
        return {b"http": 80, "http": 80, b"https": 443, "https": 443}.get(port)


def _connect(original: Any) -> Any:
    def connect(sock: Any, address: Any) -> Any:
        _judge_address(sock, address)
        return original(sock, address)

    return connect


def _connect_ex(original: Any) -> Any:
    def connect_ex(sock: Any, address: Any) -> Any:
        _judge_address(sock, address)
        return original(sock, address)

    return connect_ex


def _sendto(original: Any) -> Any:
    def sendto(sock: Any, *args: Any) -> Any:
        # (data, address) or (data, flags, address); what is wrong with others, the socket says itself.
        if len(args) in (2, 3):
            _judge_address(sock, args[-1])
        return original(sock, *args)

    return sendto


def _create_connection(original: Any) -> Any:
    def create_connection(address: Any, *args: Any, **options: Any) -> Any:
        host, port = address
        _judge(host, port, "AF_UNSPEC")
        return original(address, *args, **options)

    return create_connection


def _getaddrinfo(original: Any) -> Any:
    def getaddrinfo(host: Any, port: Any, family: Any = 0, *args: Any, **options: Any) -> Any:
        _judge(host, port, _family(family))
        found = original(host, port, family, *args, **options)
        if _guards > 0 and isinstance(host, (str, bytes)):
            name = host.decode("utf-8", "replace") if isinstance(host, bytes) else host
            for *_, address in found:
                if address[0] != name:
                    _names[str(address[0])] = name
        return found

    return getaddrinfo


def _gethostbyname(original: Any) -> Any:
    def gethostbyname(host: Any) -> Any:
        _judge(host, None, "AF_INET")
        return original(host)

    return gethostbyname


def _sendmsg(original: Any) -> Any:
    def sendmsg(sock: Any, buffers: Any, ancdata: Any = (), flags: int = 0, address: Any = None) -> Any:
        if address is None:
            return original(sock, buffers, ancdata, flags)
        _judge_address(sock, address)
        return original(sock, buffers, ancdata, flags, address)

    return sendmsg


_PATCHES = (
    Patch(socket.socket, "connect", _connect),
    Patch(socket.socket, "connect_ex", _connect_ex),
    Patch(socket.socket, "sendto", _sendto),
    *([Patch(socket.socket, "sendmsg", _sendmsg)] if hasattr(socket.socket, "sendmsg") else []),
    Patch(socket, "create_connection", _create_connection),
    Patch(socket, "getaddrinfo", _getaddrinfo),
    Patch(socket, "gethostbyname", _gethostbyname),
    Patch(socket, "gethostbyname_ex", _gethostbyname),
)


def _forked() -> None:
    """The thread that held the lock does not exist in a forked child."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def offender() -> str | None:
    """Who wants a connection: the innermost frame that is no library's, else the innermost that is not ours."""
    ours, fallback = os.path.dirname(os.path.dirname(__file__)), None
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((ours, "<")):
            place = f"{os.path.basename(file)}:{frame.f_lineno} in {frame.f_code.co_name}"
            if not file.startswith(_LIBRARIES) and "site-packages" not in file:
                return place
            fallback = fallback or place
        frame = frame.f_back  # type: ignore[assignment]
    return fallback
