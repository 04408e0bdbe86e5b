"""A server that answers every request with the same bytes, and a client that asks it with nothing in between: what a
request costs at least, on a connection of its own as the tool's. `serve` prints the port of the server; `ask PORT
COUNT` prints the microseconds of a request.
"""

from __future__ import annotations

import socket
import sys
import threading
import time

BODY = b'{"users": [' + b", ".join(b'{"id": %d, "name": "user %d"}' % (n, n) for n in range(10)) + b"]}"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)
QUESTION = b"GET /users HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n\r\n"


def serve() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A request without a body is one packet.
    while connection.recv(65536):
        connection.sendall(ANSWER)


def ask(port: int, count: int) -> None:
    began = time.perf_counter()
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(QUESTION)
            left = len(ANSWER)
            while left:
                left -= len(connection.recv(65536))
    print((time.perf_counter() - began) / count * 1e6)


if __name__ == "__main__":
    serve() if sys.argv[1] == "serve" else ask(int(sys.argv[2]), int(sys.argv[3]))
