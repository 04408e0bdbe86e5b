"""Goals 3 and 15: what the installed plugin costs a suite that does not use it, and what a test costs that does.

Idle: three ways to run the same tests, without UnitAI in the environment, with it, and with it but switched
off. Near 1x only instructions can tell, so those are gated; the CPU of 5,000 tests shows that nothing
grows with the number of tests.

In use: one agent test, with mocks that are closures in plain pytest, and as our documents write it. What is read is
the difference of two suites, so start-up cancels out.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from lab import Lab
from measure import Spread, instructions, interleaved, progress, run
from report import Goal, Report, Table, number, over, ratio, spread

#: Each way with its environment and options. The first is the base.
WAYS: dict[str, tuple[str, list[str]]] = {
    "no plugin installed": ("plain", []),
    "unitai installed": ("unitai", []),
    "unitai installed, -p no:unitai": ("unitai", ["-p", "no:unitai"]),
    "trajai installed": ("trajai", []),
}
BASE, OURS, OFF = list(WAYS)[:3]

COLLECT, SUITE, LARGE = "collect one test", "run 200 tests", "run 5,000 tests"
OPTIONS = {COLLECT: ["--collect-only", "test_1.py"], SUITE: ["test_200.py"], LARGE: ["test_5000.py"]}
LIMIT = 1.02


def measure(lab: Lab) -> Report:
    """Instructions of a collection and a short suite, CPU of a long one."""
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as name:
        folder = Path(name)
        for tests in (1, 200, 5000):
            text = "".join(f"def test_{n}():\n    assert {n} == {n}\n\n\n" for n in range(tests))
            (folder / f"test_{tests}.py").write_text(text)
        (folder / "pytest.ini").write_text("[pytest]\n")  # The folder is the root, whatever lies above it.
        idle, used = _idle(lab, folder), _used(lab, folder)
        figures = {"idle": idle.figures, "used": used.figures}
        return Report("pytest_cost", idle.tables + used.tables, idle.goals + used.goals, figures)


def _idle(lab: Lab, folder: Path) -> Report:
    ways = [way for way, (environment, _) in WAYS.items() if lab.has(environment)]
    counts = {what: {way: _instructions(lab, way, what, folder) for way in ways} for what in (COLLECT, SUITE)}
    cases = {way: lambda way=way: run(_command(lab, way, LARGE), folder).cpu_seconds for way in ways}
    taken = interleaved(cases, min(lab.rounds, 5), f"pytest_cost, {LARGE}")
    times = {way: Spread.of(samples) for way, samples in taken.items()}

    rows = []
    for way in ways:
        row = [way]
        for what in (COLLECT, SUITE):
            row += [number(counts[what][way]), _exact(counts[what][way], counts[what][BASE])]
        rows.append([*row, spread(times[way]), ratio(times[way].middle, times[BASE].middle)])
    header = ["way", f"{COLLECT}: instructions", "x base", f"{SUITE}: instructions", "x base"]
    table = Table("A suite that does not use the plugin", [*header, f"{LARGE}: CPU s", "x base"], rows)
    goals = [
        Goal(f"{what}: {OURS} over {base}", over(counts[what][OURS], counts[what][base]), LIMIT, "x")
        for what in (COLLECT, SUITE)
        for base in (BASE, OFF)
    ]
    return Report("pytest_cost", [table], goals, {"instructions": counts, "cpu_seconds": times})


#: What all agent tests have in common.
AGENT = """def agent(query, tools):
    order = tools["lookup_order"](order_id=query)
    if order["status"] != "delivered":
        return "not yet"
    tools["refund_order"](order_id=query)
    return "refunded " + query


"""

CLOSURES = """def test_{n}():
    calls = []

    def lookup_order(order_id):
        calls.append(("lookup_order", {{"order_id": order_id}}))
        return {{"status": "delivered"}}

    def refund_order(order_id):
        calls.append(("refund_order", {{"order_id": order_id}}))
        return {{"refunded": True}}

    output = agent("{n}", {{"lookup_order": lookup_order, "refund_order": refund_order}})
    names = [name for name, _ in calls]
    assert names.index("lookup_order") < names.index("refund_order")
    assert "refunded" in output


"""

TOOLKIT = """def test_{n}(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={{"status": "delivered"}})
    mock_toolkit.mock("refund_order", return_value={{"refunded": True}})
    result = mock_toolkit.run(agent, "{n}")
    assert result.tool_called_before("lookup_order", "refund_order")
    assert result.output_contains("refunded")


"""

#: The plugin that trajai 0.1 installs does not export its fixture, so its test makes the toolkit itself.
TRAJAI = "from trajai.mock import MockToolkit\n\n\n" + AGENT.replace("(order_id=query)", '({"order_id": query})')
TRAJAI_TEST = TOOLKIT.replace("mock_toolkit):", "):\n    mock_toolkit = MockToolkit()").replace(
    ".run(", ".run_callable("
)

#: What pytest itself takes for any fixture.
FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef thing():\n    yield 1\n\n\n"
FIXTURE_TEST = "def test_{n}(thing):\n    pass\n\n\n"

#: Each agent test with its environment, what its file begins with, and itself. The first is the base.
TESTS: dict[str, tuple[str, str, str]] = {
    "closure mocks, plain pytest": ("plain", AGENT, CLOSURES),
    "documented test, unitai": ("unitai", AGENT, TOOLKIT),
    "empty test, plain pytest": ("plain", "", "def test_{n}():\n    pass\n\n\n"),
    "empty test with a fixture, plain pytest": ("plain", FIXTURE, FIXTURE_TEST),
    "trajai toolkit and assertions": ("trajai", TRAJAI, TRAJAI_TEST),
}
#: The sizes of the two suites for instructions, and for CPU.
COUNTED, TIMED = (20, 120), (20, 520)
USED_LIMIT = 1.05


def _used(lab: Lab, folder: Path) -> Report:
    tests = {name: each for name, each in TESTS.items() if lab.has(each[0])}
    for place, (_, head, body) in enumerate(tests.values()):
        for size in {*COUNTED, *TIMED}:
            text = head + "".join(body.format(n=n) for n in range(size))
            (folder / f"test_used_{place}_{size}.py").write_text(text)
    suites = {
        name: {size: _pytest(lab, tests[name][0], [f"test_used_{place}_{size}.py"]) for size in {*COUNTED, *TIMED}}
        for place, name in enumerate(tests)
    }

    def counted(name: str) -> float | None:
        progress(f"pytest_cost: {name}")
        for size in COUNTED:
            run(suites[name][size], folder)
        few, many = (instructions(suites[name][size], folder) for size in COUNTED)
        return None if few is None or many is None else (many - few) / (COUNTED[1] - COUNTED[0])

    def timed(name: str) -> float:
        few, many = (run(suites[name][size], folder).cpu_seconds for size in TIMED)
        return (many - few) / (TIMED[1] - TIMED[0]) * 1e6

    counts = {name: counted(name) for name in tests}
    taken = interleaved({name: lambda name=name: timed(name) for name in tests}, min(lab.rounds, 5), "an agent test")
    times = {name: Spread.of(samples) for name, samples in taken.items()}
    base, ours = list(TESTS)[:2]
    rows = [
        [
            name,
            number(counts[name]),
            _exact(counts[name], counts[base]),
            spread(times[name]),
            ratio(times[name].middle, times[base].middle),
        ]
        for name in tests
    ]
    table = Table("One agent test, start-up removed", ["test", "instructions", "x base", "CPU us", "x base"], rows)
    goal = Goal(f"{ours} over {base}", over(counts[ours], counts[base]), USED_LIMIT, "x")
    return Report("pytest_cost", [table], [goal], {"instructions": counts, "cpu_us": times})


def _command(lab: Lab, way: str, what: str) -> list[str]:
    environment, options = WAYS[way]
    return _pytest(lab, environment, [*options, *OPTIONS[what]])


def _pytest(lab: Lab, environment: str, options: list[str]) -> list[str]:
    return [str(lab.pythons[environment]), "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]


def _instructions(lab: Lab, way: str, what: str, folder: Path) -> int | None:
    progress(f"pytest_cost: {what}, {way}")
    command = _command(lab, way, what)
    run(command, folder)  # Writes the byte-code of the tests and of the plugins.
    return instructions(command, folder)


def _exact(value: float | None, base: float | None) -> str:
    """With a digit more than elsewhere: the goal is two per cent."""
    found = over(value, base)
    return "-" if found is None else f"{found:.4f}x"
