"""A server on this machine: it notes every request, and answers with the very bytes that it is told."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from provider_bodies import as_provider


@dataclass
class Asked:
    """A request as it came over the wire, and when."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answered:
    """An answer. A body in pieces is sent piece by piece, as a stream."""

    body: bytes | Iterable[bytes] = b""
    content_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    #: Whether to break the connection after the body, without its end.
    is_cut: bool = False


class Server:
    """Answers requests by `respond`, which is as the providers do unless another is set."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.respond: Callable[[Asked], Answered] = lambda asked: Answered(**as_provider(asked.path, asked.body))
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def note(self, asked: Asked) -> None:
        with self._lock:
            self.requests.append(asked)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self.close()
        self._thread.join()

    def close(self) -> None:
        """Gives its address back: for one whose answers go out through another."""
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no trouble of the server's."""


def _handler_of(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            at = time.monotonic()
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                body = b"".join(iter(self._chunk, b""))
            else:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, body, at)
            server.note(asked)
            with contextlib.suppress(ConnectionError):
                self._send(server.respond(asked))

        def _chunk(self) -> bytes:
            size = int(self.rfile.readline(), 16)
            chunk = self.rfile.read(size)
            self.rfile.readline()
            return chunk

        def _send(self, answered: Answered) -> None:
            is_whole = isinstance(answered.body, bytes)
            self.send_response(answered.status)
            self.send_header("content-type", answered.content_type)
            for name, value in answered.headers.items():
                self.send_header(name, value)
            if is_whole:
                length = len(answered.body) + (1000 if answered.is_cut else 0)
                self.send_header("content-length", str(length))
            else:
                self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in (answered.body,) if is_whole else answered.body:
                self.wfile.write(piece if is_whole else b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            if answered.is_cut:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
            elif not is_whole:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    for verb in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{verb}", Handler.answer)
    return Handler
