"""A server on this machine that speaks for the model as a script does: what a recording is made of."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable
from typing import Any

import urllib3
from loopback import Answered, Server
from provider import Edge

from unitai import scripted_model


class Upstream:
    """Answers in the dialect it is asked in, from `with` to the end of the block. Its thread has the script for itself: the
    agent in this process does not see it.
    """

    def __init__(self, steps: Iterable[Any]) -> None:
        self._steps = list(steps)
        self._asked: queue.Queue[Any] = queue.Queue()
        self._server = Server()
        #: What stands before the models of real providers.
        self._edge = Edge()

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        server = self._server.__enter__()
        server.respond = self._respond
        return server

    def __exit__(self, *error: Any) -> None:
        self._server.__exit__(*error)
        self._asked.put(None)
        self._thread.join()

    def _respond(self, asked: Any) -> Answered:
        box: queue.Queue[Any] = queue.Queue()
        self._asked.put((asked, box))
        answer = box.get()
        if isinstance(answer, Exception):
            return Answered(status=500, body=str(answer).encode())
        return self._edge.dress(asked, answer)

    def _work(self) -> None:
        pool = urllib3.PoolManager()
        try:
            with scripted_model(self._steps):
                while (work := self._asked.get()) is not None:
                    asked, box = work
                    try:
                        box.put(self._answer(pool, asked))
                    except Exception as error:
                        box.put(error)
        except Exception:
            # A script that was not played to its end is told by the test itself.
            pass

    def _answer(self, pool: Any, asked: Any) -> Answered:
        host = (
            "https://generativelanguage.googleapis.com" if "enerateContent" in asked.path else "https://api.openai.com"
        )
        headers = {"content-type": "application/json"}
        got = pool.request("POST", host + asked.path, body=asked.body, headers=headers, retries=False)
        # Few agents close their client, and a connection that is left open is a warning at the end.
        closing = {"connection": "close"}
        kind = got.headers.get("content-type")
        return Answered(status=got.status, body=got.data, content_type=kind, headers=closing)
