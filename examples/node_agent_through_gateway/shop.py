"""A shop on this machine, for the agent to talk to: `python shop.py` serves it at http://127.0.0.1:8766."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Shop(HTTPServer):
    """Knows one order, and keeps what it was asked to refund."""

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.refunds = []


class Handler(BaseHTTPRequestHandler):
    """GET /orders/123 and POST /refunds."""

    def do_GET(self):
        self.answer({"order_id": self.path.rpartition("/")[2], "status": "delivered", "amount": 49.99})

    def do_POST(self):
        self.server.refunds.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.answer({"success": True, "refund_id": "R-456"})

    def answer(self, body):
        """Sends an answer."""
        sent = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        """Keeps quiet."""


if __name__ == "__main__":
    Shop(8766).serve_forever()
