"""The host of plugins as a child process, spoken to by lines written by hand."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PLUGINS = Path("tests", "llm", "plugins")


class Host:
    """A running host. Answers are awaited for some seconds, so that one that never comes fails the test."""

    def __init__(self, root: Path, **plugins: str) -> None:
        folder = root / PLUGINS
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in plugins.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, "-m", "unitai.llm.host", str(root)],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        #: Every line of the protocol, as it came.
        self.raw: list[bytes] = []
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._kept: dict[object, dict[str, Any]] = {}
        self._errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=lambda: self._errors.extend(self.process.stderr or ()), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._next = 0

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.raw.append(line)
            self._answers.put(json.loads(line))

    def write(self, line: str) -> None:
        """Sends a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        """Sends a request; gives its number."""
        self._next += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}))
        return self._next

    def notify(self, method: str, **params: Any) -> None:
        """Sends a notification."""
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def answer(self, number: int | None, seconds: float = 20) -> dict[str, Any]:
        """The answer to a request."""
        while number not in self._kept:
            message = self._answers.get(timeout=seconds)
            self._kept[message["id"]] = message
        return self._kept.pop(number)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a request, and waits for its answer."""
        return self.answer(self.send(method, **params))

    def start_call(self, tool: str, **arguments: Any) -> int:
        """Calls a tool without waiting."""
        return self.send("tools/call", name=tool, arguments=arguments)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Calls a tool: its result."""
        return self.answer(self.start_call(tool, **arguments))["result"]

    def open(self) -> dict[str, Any]:
        """Begins a test: the tools by their names, and the troubles."""
        told = self.call("_unitai_open")["structuredContent"]
        return {"tools": {tool["name"]: tool for tool in told["tools"]}, "troubles": told["troubles"]}

    def close(self) -> list[str]:
        """Ends a test."""
        return self.call("_unitai_close")["structuredContent"]["troubles"]

    def end(self, seconds: float = 20) -> int:
        """Closes the input, and waits for the end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait(seconds)

    def wait(self, seconds: float = 20) -> int:
        """Waits for the end."""
        status = self.process.wait(timeout=seconds)
        for thread in self._threads:
            thread.join(5)
        return status

    @property
    def errors(self) -> str:
        """What came on standard error, once the host has ended."""
        return b"".join(self._errors).decode()

    def kill(self) -> None:
        """Ends it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=20)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
