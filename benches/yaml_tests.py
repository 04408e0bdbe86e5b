"""What YAML tests with checks only cost: 200 of them by pytest and by the command, and one call of a built-in tool next
to the bare request.

Each test is a file of its own: a request to a server on this machine, its checks, and two built-in asserts. What a call
costs is the difference of two tests that repeat it, so start-up cancels out.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lab import Lab, native_command
from measure import HERE, Spread, interleaved, run
from report import Goal, Report, Table, number, spread

TESTS = 200
MOST_SECONDS = 10
#: A call of a built-in tool may cost so many microseconds more than the request that it makes.
MOST_US = 500

TEST = """test: {{name: users {n}, tags: [api]}}
steps:
  - tool: http_get
    args: {{url: "http://127.0.0.1:{port}/users"}}
    save_as: answer
    check: [status_code == 200, json(body).users | length == 10]
  - {{tool: assert_equals, args: {{actual: "${{answer.status_code}}", expected: 200}}}}
  - {{tool: compare_values, args: {{value1: 100.5, value2: 100.0, tolerance: 0.01}}}}
verdict: checks
"""

REPEATED = """test: {{name: often, max_calls: 100000}}
steps: [{{repeat: {count}, tool: {tool}}}]
verdict: checks
"""
CALLS = {
    "http_get": 'http_get, args: {{url: "http://127.0.0.1:{port}/users"}}, check: status_code == 200',
    "assert_equals": "assert_equals, args: {{actual: 1, expected: 1}}",
}
FEW, MANY = 100, 2100

PYTEST, COMMAND, NATIVE = "pytest --llm", "unitai yaml run", "unitai yaml run, without Python"


def measure(lab: Lab) -> Report:
    """Seconds of the suite, microseconds of a call."""
    python, native = lab.pythons["unitai"], native_command()
    command = python.parent / "unitai"
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as name, _server(python) as port:
        suite, calls = Path(name, "suite"), Path(name, "calls")
        _write(suite, {f"test_{n}": TEST.format(n=n, port=port) for n in range(TESTS)})
        for tool, step in CALLS.items():
            texts = {
                f"{tool}-{count}": REPEATED.format(count=count, tool=step.format(port=port)) for count in (FEW, MANY)
            }
            _write(calls, texts)
        ways = {
            PYTEST: [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--llm"],
            COMMAND: [str(command), "yaml", "run"],
            NATIVE: [str(native), "yaml", "run"],
        }
        took = interleaved(
            {way: lambda way=way: _seconds(ways[way], suite) for way in ways}, lab.rounds, "200 YAML tests"
        )
        cases = {tool: lambda tool=tool: _per_call(str(native), tool, calls) for tool in CALLS}
        bare = [str(python), str(HERE / "cases" / "tiny_http.py"), "ask", str(port), str(MANY)]
        cases["the bare request"] = lambda: float(run(bare).output)
        costs = interleaved(cases, max(lab.rounds, 5), "a built-in call")
    wall = {way: Spread.of([seconds for seconds, _ in samples]) for way, samples in took.items()}
    cpu = {way: Spread.of([used for _, used in samples]) for way, samples in took.items()}
    call = {name: Spread.of(samples) for name, samples in costs.items()}
    added = call["http_get"].middle - call["the bare request"].middle
    tables = [
        Table(
            f"{TESTS} YAML tests with checks only, a file and a request each",
            ["way", "seconds", "CPU s", "ms a test"],
            [[way, spread(wall[way]), spread(cpu[way]), number(wall[way].middle / TESTS * 1000)] for way in ways],
        ),
        Table(
            "One call of a built-in tool, start-up removed",
            ["call", "us", "over the bare request"],
            [
                ["the bare request", spread(call["the bare request"]), "0"],
                ["http_get with a check", spread(call["http_get"]), number(added)],
                ["assert_equals, which asks nobody", spread(call["assert_equals"]), "-"],
            ],
        ),
    ]
    goals = [Goal(f"{TESTS} YAML tests by {way}", wall[way].middle, MOST_SECONDS, "s") for way in (PYTEST, COMMAND)]
    goals.append(Goal("a built-in call over the bare request", added, MOST_US, "us"))
    return Report("yaml_tests", tables, goals, {"seconds and CPU": took, "us": costs})


@contextlib.contextmanager
def _server(python: Path) -> Iterator[int]:
    words = [str(python), str(HERE / "cases" / "tiny_http.py"), "serve"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _write(root: Path, tests: dict[str, str]) -> None:
    folder = root / "tests" / "llm"
    folder.mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text("")
    for name, text in tests.items():
        (folder / f"{name}.yaml").write_text(text)


def _seconds(command: list[str], folder: Path) -> tuple[float, float]:
    began = time.perf_counter()
    done = run(command, folder)
    if f"{TESTS} passed" not in done.output:
        raise RuntimeError(f"the tests did not pass:\n{done.output[-2000:]}")
    return time.perf_counter() - began, done.cpu_seconds


def _per_call(command: str, tool: str, folder: Path) -> float:
    took = []
    for count in (FEW, MANY):
        began = time.perf_counter()
        run([command, "yaml", "run", f"tests/llm/{tool}-{count}.yaml"], folder)
        took.append(time.perf_counter() - began)
    return (took[1] - took[0]) / (MANY - FEW) * 1e6
