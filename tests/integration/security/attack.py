"""Attacks on a server: raw requests, a project with secrets around it, and what shows that a request was let in."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: In every file that no client may read.
CANARY = "canary-5f1e"

VERSION = "2026-07-28"


@dataclass
class Answer:
    """What a server sent back."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def message(self) -> dict[str, Any]:
        """The message of the protocol in it, if there is one."""
        for line in reversed(self.body.splitlines()):
            try:
                found = json.loads(line.removeprefix("data:"))
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
        return {}


def send(port: int, method: str, target: str, headers: list[tuple[str, str]], body: str = "") -> Answer:
    """Sends a request as it is. A client library would repair what is wrong with it."""
    lines = [f"{method} {target} HTTP/1.1", "connection: close", *(f"{name}: {value}" for name, value in headers)]
    raw = "\r\n".join([*lines, f"content-length: {len(body.encode())}", "", body]).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(raw)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except ConnectionResetError:
            pass
    head, _, rest = received.decode(errors="replace").partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    named = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
    return Answer(int(status.split()[1]) if status else 0, rest, named)


def statuses(port: int, raw: bytes) -> list[int]:
    """The status of every answer to bytes as they are, on one connection, until it is closed or silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
        received = b""
        try:
            connection.sendall(raw)
            while piece := connection.recv(65536):
                received += piece
        except (TimeoutError, ConnectionError):
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", received)]


def request(target: str, headers: list[tuple[str, str]], body: bytes = b"", method: str = "POST") -> bytes:
    """A request as bytes, with the length of its body unless a header says how it is sent."""
    is_framed = any(name in ("content-length", "transfer-encoding") for name, _ in headers)
    framed = headers if is_framed else [*headers, ("content-length", str(len(body)))]
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in framed), "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def swapping(place: Path, other: Path) -> Iterator[None]:
    """While it lasts, a folder is time and again a link to another one."""
    kept, link = place.with_name("kept"), place.with_name("link")
    link.symlink_to(other)
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            for here, there in [(place, kept), (link, place), (place, link), (kept, place)]:
                here.rename(there)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def rpc(method: str, **params: object) -> str:
    """A message of the protocol without sessions."""
    about = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "attacker", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": about}})


def protocol(method: str, tool: str | None = None) -> list[tuple[str, str]]:
    """The headers that the protocol wants."""
    named = [("mcp-name", tool)] if tool else []
    accepted = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")]
    return [*accepted, ("mcp-protocol-version", VERSION), ("mcp-method", method), *named]


@dataclass
class Surroundings:
    """A project, with files around it that no client may read, and the mark that a program leaves if it runs."""

    folder: Path
    root: Path = field(init=False)
    mark: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root, self.mark = self.folder / "project", self.folder / "ran"
        tests = self.root / "tests" / "llm"
        tests.mkdir(parents=True)
        outside = self.folder / "outside"
        outside.mkdir()
        steps = f"steps: [{{tool: sleep, args: {{seconds: 0}}, name: {CANARY}}}]\n"
        test = f"test: {{name: {CANARY}}}\nverdict: checks\n{steps}"
        secrets = {
            outside / "secret.yaml": f"{CANARY}: yes\n",
            outside / "steps.yaml": steps,
            outside / "test.yaml": test,
            self.root / ".env": f"KEY={CANARY}\n",
            self.root / ".env.yaml": f"{CANARY}: yes\n",
            self.root / ".secret" / "steps.yaml": steps,
            self.root / "notes.yaml": f"notes: [{CANARY}]\n",
            self.root / "unitai.toml": f"# {CANARY}\n",
        }
        for file, text in secrets.items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        (tests / "good.yaml").write_text(
            "test: {name: good}\nsteps: [{tool: sleep, args: {seconds: 0}, check: slept >= 0}]\nverdict: checks\n"
        )
        (tests / "linked.yaml").symlink_to(outside / "test.yaml")
        (tests / "linked_steps.yaml").symlink_to(outside / "steps.yaml")
        (tests / "linked").symlink_to(outside)

    @property
    def program(self) -> list[str]:
        """A command that leaves the mark."""
        return ["sh", "-c", f"touch {self.mark}"]

    def written(self) -> set[Path]:
        """Every file, but those that a client may write: below `tests/llm`."""
        return {path for path in self.folder.rglob("*") if self.root / "tests" / "llm" not in path.parents}


@contextmanager
def running(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The installed command, which is ended with the block."""
    command = [str(Path(sys.executable).parent / "unitai"), *words]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, text=True, **pipes) as server:
        try:
            yield server
        finally:
            server.terminate()
            server.wait(20)


def as_another_user(attack: Callable[[], Iterator[str]]) -> list[str]:
    """What an attack finds as the user `nobody`. Only root can try this.

    It runs in a fork: another user may not be able to start this interpreter, which can be in root's home.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        found = ["the attack did not end"]
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            found = list(attack())
        except BaseException as error:  # a fork must not go on as a second test run, whatever happens
            found = [repr(error)]
        finally:
            os.write(writer, json.dumps(found).encode())
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        found = json.load(pipe)
    os.waitpid(child, 0)
    return found
