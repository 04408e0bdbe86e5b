"""A small HTTP API: what is in stock, and orders that take from it. Only Python's own library."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Shop(ThreadingHTTPServer):
    """The API on a free port of this machine."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stock = {"pen": 10, "ink": 0}

    @property
    def url(self):
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def look(self, item):
        """The answer to GET /stock/ITEM: a status and a body."""
        if item not in self.stock:
            return 404, {"error": f"there is no item {item}"}
        return 200, {"item": item, "left": self.stock[item]}

    def order(self, item, count):
        """The answer to POST /orders."""
        if item not in self.stock:
            return 404, {"error": f"there is no item {item}"}
        if count < 1:
            return 400, {"error": "order at least one"}
        if count > self.stock[item]:
            return 409, {"error": f"only {self.stock[item]} left"}
        self.stock[item] -= count
        return 201, {"item": item, "count": count, "left": self.stock[item]}


class Handler(BaseHTTPRequestHandler):
    """Requests and answers as JSON."""

    def do_GET(self):
        self.answer(*self.server.look(self.path.removeprefix("/stock/")))

    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer(*self.server.order(order["item"], order["count"]))

    def answer(self, status, body):
        """Sends an answer."""
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        """Keeps quiet."""
