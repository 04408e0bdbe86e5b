"""A service of models on this machine that plays a script: for programs, which no script of this process can reach."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import urllib3

from unitai import scripted_model

#: Where each form of request goes in the world. Nothing leaves: the script answers inside of the client.
HOSTS = {
    "/v1/messages": "https://api.anthropic.com",
    "/v1/responses": "https://api.openai.com",
    "/v1beta/": "https://generativelanguage.googleapis.com",
}
#: Codex knows the tools of a server by a name within a namespace, which a script has no word for.
SPACED = (re.compile(rb'"name":\s*"(mcp__\w+?)__(\w+)"'), rb'"namespace":"\1","name":"\2"')


class Service:
    """It answers requests with a script, in the words of the provider whose form they have."""

    def __init__(self, script: list[Any]) -> None:
        self._scripted = scripted_model(script)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Any:
        model = self._scripted.__enter__()
        self._thread.start()
        return model

    def __exit__(self, *raised: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
        self._scripted.__exit__(*raised)


def _handler() -> type[BaseHTTPRequestHandler]:
    pool = urllib3.PoolManager(retries=False)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.answer(200, b"", "text/plain")

        def do_GET(self) -> None:
            self.answer(404, b"{}", "application/json")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = urlsplit(self.path).path
            host = next((host for begin, host in HOSTS.items() if path.startswith(begin)), None)
            if host is None:
                return self.answer(404, json.dumps({"error": f"nobody is at {path}"}).encode(), "application/json")
            headers = {"content-type": "application/json", "authorization": "Bearer none", "x-api-key": "none"}
            given = pool.request("POST", host + self.path, body=body, headers=headers)
            data = SPACED[0].sub(SPACED[1], given.data) if path.startswith("/v1/responses") else given.data
            return self.answer(given.status, data, given.headers.get("content-type", "application/json"))

        def answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
