"""A server of tools over streamable HTTP, with nothing but the standard library. It prints its port. Its words on the
command line say how it behaves: `old` (the default) wants a handshake, `new` knows 2026-07-28 only.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOW = set(sys.argv[1:])
INFO = {"capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, params = message.get("method"), message.get("params") or {}
        if "mute" in HOW:
            time.sleep(30)
        if "broken" in HOW:
            return self.answer(500, b"<html>the database is down</html>", "text/html")
        if "private" in HOW and self.headers.get("Authorization") != "Bearer secret":
            return self.answer(401)
        if "id" not in message:
            return self.answer(202)
        new = "new" in HOW
        if method == "initialize" and not new:
            result = {"protocolVersion": params["protocolVersion"], **INFO}
        elif method == "server/discover" and new:
            result = {"supportedVersions": ["2026-07-28"], **INFO}
        elif method == "server/discover" and "picky" in HOW:
            return self.answer(400, b"no session", "text/plain")
        elif method == "tools/list":
            result = {"tools": [{"name": "headers", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            result = {"content": [], "structuredContent": {name.lower(): value for name, value in self.headers.items()}}
        else:
            error = {"code": -32601, "message": f"Method not found: {method}"}
            return self.answer(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())
        if new:
            result.update(resultType="complete", ttlMs=0, cacheScope="private")
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
