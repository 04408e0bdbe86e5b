"""Goals 12 and 13: the gateway answers from recordings, next to a bare server on epoll.

Both get the same requests from the same load generator (gateway_floor.rs), in turns, and give the same bytes.
The recordings are made by the gateway itself, with the bare server as the provider. CPU is the kernel's
account of the server alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab import HOME, Lab, native_command, tool
from measure import Spread, environment, progress, run
from report import Goal, Report, Table, number, spread

FLOOR = HOME / "bench-gateway-floor"
CONNECTIONS = 32
#: What the goals speak of.
FEW, MANY = 1_000, 20_000
LEAST_ROUNDS = 7
REQUESTS = 40_000
KINDS = ("plain", "streamed")
PATH = "/openai/v1/chat/completions"
SAID = "The order was found and it is on its way to you. It should arrive within three days."


def measure(lab: Lab) -> Report:
    """CPU of a request, plain and streamed; how soon the gateway is ready, and how large it is."""
    command = _build()
    rounds = max(LEAST_ROUNDS, lab.rounds)
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as folder:
        home = Path(folder)
        answers = {kind: _answer(kind, home / f"{kind}.http") for kind in KINDS}
        sizes = {kind: answer.stat().st_size for kind, answer in answers.items()}
        caches = {}
        for kind in KINDS:
            for count in (FEW, MANY):
                caches[kind, count] = _record(command, home / f"{kind}-{count}", answers[kind], kind, count)
        starts = {count: _starts(command, caches["plain", count], rounds) for count in (FEW, MANY)}
        figures = {kind: _rounds(command, caches[kind, MANY], answers[kind], kind, rounds) for kind in KINDS}
    goals = []
    for kind in KINDS:
        ours, floor = figures[kind]["gateway"], figures[kind]["floor"]
        goals.append(Goal(f"gateway, {kind}: CPU, lower quartile", _ratio(ours, floor, "cpu_us").low, 1.5, "x floor"))
        goals.append(Goal(f"gateway, {kind}: p99, lower quartile", _ratio(ours, floor, "p99_us").low, 2, "x floor"))
    for figure, limit, unit in (("cpu_ms", 10, "ms CPU"), ("rss_mib", 20, "MiB")):
        name = f"gateway ready with {FEW:,}: {unit.split()[-1]}"
        goals.append(Goal(name, Spread.of([start[figure] for start in starts[FEW]]).low, limit, unit))
    tables = [_requests(figures, sizes), _ready(starts)]
    return Report("gateway", tables, goals, {"requests": figures, "starts": {str(n): s for n, s in starts.items()}})


def _build() -> str:
    """The command as a program of its own, and the floor."""
    command = native_command()
    progress("building the floor of the gateway")
    source = Path(__file__).with_name("gateway_floor.rs")
    if not FLOOR.exists() or FLOOR.stat().st_mtime < source.stat().st_mtime:
        run([tool("rustc"), "--edition", "2024", "-O", "-o", str(FLOOR), str(source)])
    return str(command)


def _answer(kind: str, file: Path) -> Path:
    """A whole HTTP answer, as the provider would send it."""
    envelope = {"id": "chatcmpl-1", "created": 1767225600, "model": "gpt-5"}
    usage = {"prompt_tokens": 200, "completion_tokens": 40, "total_tokens": 240}
    words = SAID.split(" ")
    if kind == "plain":
        message = {"role": "assistant", "content": " ".join(words)}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        body = json.dumps({**envelope, "object": "chat.completion", "choices": choices, "usage": usage}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        file.write_bytes(head.encode() + body)
        return file
    deltas: list[dict[str, Any]] = [{"delta": {"content": f"{word} "}, "finish_reason": None} for word in words]
    deltas.append({"delta": {}, "finish_reason": "stop"})
    chunks = [{**envelope, "object": "chat.completion.chunk", "choices": [{"index": 0, **delta}]} for delta in deltas]
    chunks.append({**envelope, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
    framed = "".join(f"{len(event):x}\r\n{event}\r\n" for event in events)
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    file.write_bytes((head + framed + "0\r\n\r\n").encode())
    return file


def _bodies(kind: str, count: int) -> Iterator[bytes]:
    """Different requests of about a thousand bytes."""
    system = "You are the assistant of a shop. You look orders up, and you refund them if the customer asks. " * 5
    tools = [
        {
            "type": "function",
            "function": {
                "name": "lookup_order",
                "description": "Looks an order up by its number.",
                "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}},
            },
        }
    ]
    for n in range(count):
        question = {"role": "user", "content": f"Where is my order number {n:06}?"}
        asked: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "system", "content": system}, question]}
        if kind == "streamed":
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        yield json.dumps({**asked, "tools": tools, "temperature": 0.1}).encode()


def _requests_file(file: Path, base: str, kind: str, count: int) -> Path:
    """Whole HTTP requests, each with its length before it."""
    address = urlsplit(base)
    with file.open("wb") as out:
        for body in _bodies(kind, count):
            head = (
                f"POST {address.path}{PATH} HTTP/1.1\r\nhost: {address.netloc}\r\nauthorization: Bearer sk-bench\r\n"
                "accept: application/json\r\nuser-agent: OpenAI/Python 3.49.0\r\ncontent-type: application/json\r\n"
                f"x-stainless-lang: python\r\nx-stainless-retry-count: 0\r\ncontent-length: {len(body)}\r\n\r\n"
            ).encode()
            out.write(len(head + body).to_bytes(4, "little") + head + body)
    return file


@contextlib.contextmanager
def _floor(answer: Path) -> Iterator[tuple[str, int]]:
    server = subprocess.Popen([FLOOR, "serve", answer], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}/x", server.pid
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def _gateway(command: str, *arguments: str) -> Iterator[tuple[str, int]]:
    """A gateway that is ready: its address and its process."""
    server = subprocess.Popen(
        [command, "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**environment(), "UNITAI_CACHE": ""},
    )
    assert server.stdout is not None
    try:
        lines = iter(server.stdout.readline, "")
        base = next(line for line in lines if line.startswith("export OPENAI_BASE_URL=")).partition("=")[2]
        yield base.strip().removesuffix("/openai/v1"), server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


def _load(base: str, pid: int, requests: Path, count: int) -> dict[str, float]:
    port = urlsplit(base).port
    done = run([str(FLOOR), "load", str(port), str(requests), str(CONNECTIONS), str(count), str(pid)])
    found: dict[str, float] = json.loads(done.output.strip().splitlines()[-1])
    if found["failed"]:
        raise RuntimeError(f"{found['failed']} requests of {count} failed")
    return found


def _record(command: str, cache: Path, answer: Path, kind: str, count: int) -> Path:
    progress(f"gateway: recording {count:,} interactions, {kind}")
    requests = cache.with_suffix(".requests")
    with _floor(answer) as (provider, _):
        upstream = f"openai={provider.removesuffix('/x')}"
        with _gateway(command, "--record", "--cache", str(cache), "--upstream", upstream) as (base, pid):
            _load(base, pid, _requests_file(requests, base, kind, count), count)
    found = sum(1 for file in cache.iterdir() if file.suffix == ".json" and not file.name.startswith("."))
    if found != count:
        raise RuntimeError(f"{count} interactions were sent, and {found} recorded")
    return cache


def _starts(command: str, cache: Path, rounds: int) -> list[dict[str, float]]:
    found = []
    for _ in range(rounds):
        with _gateway(command, "--replay", "--cache", str(cache)) as (_, pid):
            cpu = sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
            found.append({"cpu_ms": cpu / 1e6, "rss_mib": _rss(pid)})
    return found


def _rss(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _rounds(command: str, cache: Path, answer: Path, kind: str, rounds: int) -> dict[str, list[dict[str, float]]]:
    figures: dict[str, list[dict[str, float]]] = {"floor": [], "gateway": [], "gateway, first time": []}
    with (
        _floor(answer) as (floor, floor_pid),
        _gateway(command, "--replay", "--cache", str(cache)) as (ours, our_pid),
    ):
        to_floor = _requests_file(cache.with_suffix(".floor"), floor, kind, MANY)
        to_ours = _requests_file(cache.with_suffix(".ours"), ours, kind, MANY)
        # Each recording is read from its file when it is first asked for.
        figures["gateway, first time"].append({**_load(ours, our_pid, to_ours, MANY), "rss_mib": _rss(our_pid)})
        for n in range(rounds):
            progress(f"gateway: round {n + 1} of {rounds}, {kind}")
            figures["floor"].append({**_load(floor, floor_pid, to_floor, REQUESTS), "rss_mib": _rss(floor_pid)})
            figures["gateway"].append({**_load(ours, our_pid, to_ours, REQUESTS), "rss_mib": _rss(our_pid)})
    return figures


def _ratio(ours: list[dict[str, float]], floor: list[dict[str, float]], figure: str) -> Spread:
    return Spread.of([one[figure] / other[figure] for one, other in zip(ours, floor, strict=True)])


def _requests(figures: dict[str, dict[str, list[dict[str, float]]]], sizes: dict[str, int]) -> Table:
    rows = []
    for kind, cases in figures.items():
        for name, samples in cases.items():
            of = {figure: Spread.of([sample[figure] for sample in samples]) for figure in samples[0]}
            rate = Spread.of([sample["requests"] / sample["seconds"] for sample in samples])
            compared = ["1", "1"] if name == "floor" else ["", ""]
            if name == "gateway":
                ratios = (_ratio(samples, cases["floor"], figure) for figure in ("cpu_us", "p99_us"))
                compared = [f"{ratio.middle:.2f}x" for ratio in ratios]
            cells = [spread(of["cpu_us"]), compared[0], spread(of["p50_us"]), spread(of["p99_us"]), compared[1]]
            rows.append([kind, name, number(rate.middle), *cells, number(of["rss_mib"].high)])
    title = (
        f"A replayed request at {CONNECTIONS} connections, {MANY:,} interactions, every one journalled: about 1,000 "
        f"bytes asked, {sizes['plain']:,} answered, {sizes['streamed']:,} streamed"
    )
    header = ["kind", "server", "requests/s", "CPU us", "x floor", "p50 us", "p99 us", "x floor", "RSS MiB"]
    return Table(title, header, rows)


def _ready(starts: dict[int, list[dict[str, float]]]) -> Table:
    rows = [
        [
            f"{count:,}",
            spread(Spread.of([s["cpu_ms"] for s in samples])),
            spread(Spread.of([s["rss_mib"] for s in samples])),
        ]
        for count, samples in starts.items()
    ]
    return Table("A gateway until it is ready", ["interactions", "CPU ms", "RSS MiB"], rows)
