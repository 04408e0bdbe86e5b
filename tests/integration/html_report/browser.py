"""A headless Chromium, spoken to over a pair of pipes: no driver, no port, no package."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


# Chromium listens on descriptor 3 and answers on descriptor 4.
ON_THREE_AND_FOUR = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def _moved(descriptor: int) -> int:
    """The same, with a number of at least 10."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class BrowserError(Exception):
    """The browser refused, or a script in the page raised."""


class Browser:
    """A browser process. Events are kept by page until they are asked for."""

    def __init__(self, program: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="unitai-chromium-", ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # Those numbers may be in use here.
        to_read, to_write = _moved(to_read), _moved(to_write)
        words = [program, *FLAGS, f"--user-data-dir={self._home.name}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", ON_THREE_AND_FOUR, str(to_read), str(to_write), *words],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": self._home.name, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._next = 0
        self.events: dict[str | None, list[dict[str, Any]]] = {}

    def close(self) -> None:
        # All of it: a browser is many processes, and they are a group of their own.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._home.cleanup()

    def ask(self, method: str, session: str | None = None, timeout: float = 60, **params: Any) -> dict[str, Any]:
        """Asks, and waits for the answer."""
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._send(message)
        deadline = time.monotonic() + timeout
        while True:
            told = self.hear(deadline)
            if told is None:
                raise BrowserError(f"no answer to {method} within {timeout} s")
            if told.get("id") == self._next:
                if "error" in told:
                    raise BrowserError(f"{method}: {told['error']['message']}")
                return told["result"]

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]

    def hear(self, deadline: float) -> dict[str, Any] | None:
        """The next message; an event is also kept. `None` when the time is over."""
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                return None
            data = os.read(self._read, 1 << 20)
            if not data:
                raise BrowserError("the browser is gone")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        told = json.loads(text)
        if "method" in told:
            self.events.setdefault(told.get("sessionId"), []).append(told)
        return told

    @contextlib.contextmanager
    def page(self, width: int = 1200, height: int = 900, dark: bool = False) -> Iterator[Page]:
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.ask(f"{domain}.enable")
        page.size(width, height)
        page.prefer(dark)
        try:
            yield page
        finally:
            self.ask("Target.closeTarget", targetId=target)
            self.ask("Target.disposeBrowserContext", browserContextId=context)


class Page:
    """One page, with a profile of its own."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser = browser
        self.session = session

    def ask(self, method: str, timeout: float = 60, **params: Any) -> dict[str, Any]:
        return self.browser.ask(method, self.session, timeout, **params)

    def size(self, width: int, height: int) -> None:
        mobile = width < 600
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def open(self, path: Path, timeout: float = 60) -> None:
        """Opens a file, and waits until it is loaded."""
        self.goto(path.as_uri(), timeout)

    def goto(self, url: str, timeout: float = 60) -> None:
        self.take("Page.loadEventFired")
        self.ask("Page.navigate", timeout, url=url)
        deadline = time.monotonic() + timeout
        while not self.seen("Page.loadEventFired"):
            if self.browser.hear(deadline) is None:
                raise BrowserError(f"{url} was not loaded within {timeout} s")

    def seen(self, method: str) -> list[dict[str, Any]]:
        """What events of this kind have told so far."""
        return [event["params"] for event in self.browser.events.get(self.session, []) if event["method"] == method]

    def take(self, method: str) -> None:
        """Forgets events of this kind."""
        events = self.browser.events.get(self.session, [])
        events[:] = [event for event in events if event["method"] != method]

    def settle(self, seconds: float) -> None:
        """Hears what the page still has to tell."""
        deadline = time.monotonic() + seconds
        while self.browser.hear(deadline) is not None:
            pass

    def run(self, script: str, timeout: float = 60) -> Any:
        """The value of an expression in the page. A promise is waited for."""
        told = self.ask("Runtime.evaluate", timeout, expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise BrowserError(json.dumps(told["exceptionDetails"])[:2000])
        return told["result"].get("value")

    def press(self, key: str) -> None:
        codes = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}
        code = codes.get(key, ord(key.upper()[0]))
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        for key in text:
            self.press(key)

    def prefer(self, dark: bool, motion: bool = False) -> None:
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
        ]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def picture(self) -> bytes:
        """What is in view, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, and scripts that raised."""
        entries = [params["entry"] for params in self.seen("Log.entryAdded")]
        logged = [entry["text"] for entry in entries if entry["level"] in ("error", "warning")]
        raised = [json.dumps(params) for params in self.seen("Runtime.exceptionThrown")]
        called = [json.dumps(params["args"]) for params in self.seen("Runtime.consoleAPICalled")]
        return [*logged, *raised, *called]

    def requests(self) -> list[str]:
        """The addresses of everything that was asked for."""
        return [params["request"]["url"] for params in self.seen("Network.requestWillBeSent")]
