"""A stand-in for OpenAI on this machine, so that the recordings of this example could be made without a key:

    python stand_in.py &
    OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:8765/v1 unitai test --record test_recorded.py

It says what a script says, in OpenAI's own format.
"""

from http.server import BaseHTTPRequestHandler, HTTPServer

import urllib3

from unitai import scripted_model
from unitai.script import call, say, when

SCRIPT = [
    when("who are you").always(say("I am the refund desk. Tell me your order's number, and I look into it.")),
    when(tool_result="R-456").always(say("Your refund of $49.99 is on its way. Its number is R-456.")),
    when(tool_result="delivered").always(call("process_refund", order_id="123", amount=49.99)),
    when("order 123").always(call("lookup_order", order_id="123")),
]


class StandIn(BaseHTTPRequestHandler):
    """Asks the scripted model, and hands its answer on."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        answer = urllib3.PoolManager().request("POST", "https://api.openai.com" + self.path, body=body)
        self.send_response(answer.status)
        self.send_header("content-type", answer.headers["content-type"])
        self.send_header("content-length", str(len(answer.data)))
        self.end_headers()
        self.wfile.write(answer.data)

    def log_message(self, *_):
        """Keeps quiet."""


if __name__ == "__main__":
    with scripted_model(SCRIPT):
        HTTPServer(("127.0.0.1", 8765), StandIn).serve_forever()
