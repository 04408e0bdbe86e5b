"""A small HTTP API on a port of this machine: what YAML tests ask and change."""

from __future__ import annotations

import errno
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

#: How long a port may belong to somebody else, such as the same test in another checkout.
PATIENCE = 30.0


class Api:
    """The server, and what it was asked."""

    def __init__(self, port: int = 0, people: int = 25) -> None:
        self.users = [{"id": number, "name": f"user {number}"} for number in range(1, people + 1)]
        #: Method, path, headers in lower case, and body of every request.
        self.asked: list[tuple[str, str, dict[str, str], Any]] = []
        self._server = _bound(port, self)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://localhost:{self.port}"

    def close(self) -> None:
        """Ends it; its port is free."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """The status and the body of an answer."""
        parts = urlsplit(path)
        if parts.path == "/health":
            return 200, {"status": "ok"}
        if parts.path == "/hang":
            time.sleep(60)
        if parts.path not in ("/users", "/api/users"):
            return 404, {"error": f"there is no {parts.path}"}
        if method == "POST":
            made = {"id": len(self.users) + 1, **(body or {})}
            self.users.append(made)
            return 201, made
        asked = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
        page, limit = asked.get("page", 1), asked.get("limit", len(self.users))
        data = self.users[(page - 1) * limit :][:limit]
        return 200, {"data": data, "meta": {"page": page, "total": len(self.users)}}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    api: Api

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        text = self.rfile.read(length)
        body = json.loads(text) if text else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.api.asked.append((self.command, self.path, headers, body))
        status, answer = self.api.answer(self.command, self.path, body)
        said = json.dumps(answer).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
        except OSError:
            # Whoever asked did not wait.
            self.close_connection = True

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def _bound(port: int, api: Api) -> ThreadingHTTPServer:
    handler = type("Handler", (Handler,), {"api": api})
    until = time.monotonic() + PATIENCE
    while True:
        try:
            server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            if time.monotonic() > until:
                message = f"port {port} is taken, and the examples name it: end what listens there, then run again"
                raise AssertionError(message) from None
            time.sleep(0.2)
        else:
            server.daemon_threads = True
            return server
