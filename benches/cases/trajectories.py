"""One trajectory in three makes: plain lists, trajai's and ours; and what is asked of it.

A worker prints the microseconds of each operation on a trajectory of one size. An operation is source
text, run by timeit, so that no wrapper is timed with it.
"""

from __future__ import annotations

import gc
import json
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

TOOLS = [f"tool_{i}" for i in range(20)]
WANTED = [*TOOLS[:5], "refund"]

#: Operations by name, and the names that they use.
Operations = tuple[dict[str, str], dict[str, Any]]


def rows(size: int) -> list[tuple[int, str, dict[str, Any], dict[str, Any]]]:
    """Twenty tools in turn; the last call is `refund`."""
    names = [TOOLS[i % len(TOOLS)] for i in range(size - 1)] + ["refund"]
    return [(i, name, {"order_id": i, "amount": 5.0}, {"ok": True, "note": "done"}) for i, name in enumerate(names)]


def last_of_first_tool(size: int) -> int:
    """Where `tool_0` is called for the last time: the call that a search by arguments finds last."""
    return (size - 2) // len(TOOLS) * len(TOOLS)


def plain_lists(size: int) -> Operations:
    """What a test author writes without a framework."""
    names = [name for _, name, _, _ in rows(size)]
    args = [args for _, _, args, _ in rows(size)]
    steps = [
        {"step_type": "tool_call", "timestamp": float(i), "tool_name": name, "tool_args": args, "tool_result": result}
        for i, name, args, result in rows(size)
    ]

    def contains_in_order(wanted: list[str]) -> bool:
        rest = iter(names)
        return all(name in rest for name in wanted)

    def called_with(tool: str, order: int) -> bool:
        return any(name == tool and given["order_id"] == order for name, given in zip(names, args, strict=True))

    return {
        "tool_called_before": "names.index('tool_0') < names.index('refund')",
        "tool_called_with_partial": f"called_with('refund', {size - 1})",
        "tool_called_with_partial, its last call": f"called_with('tool_0', {last_of_first_tool(size)})",
        "call_order_contains": "contains_in_order(wanted)",
        "to JSON": "dumps(steps)",
        "round trip": "loads(dumps(steps))",
    }, {
        "names": names,
        "steps": steps,
        "wanted": WANTED,
        "contains_in_order": contains_in_order,
        "called_with": called_with,
        "dumps": json.dumps,
        "loads": json.loads,
    }


def trajai(size: int) -> Operations:
    from trajai.core.result import AgentRunResult
    from trajai.core.trajectory import Trajectory, TrajectoryStep

    steps = [
        TrajectoryStep(
            step_index=i, step_type="tool_call", timestamp=float(i), tool_name=name, tool_args=args, tool_result=result
        )
        for i, name, args, result in rows(size)
    ]
    trajectory = Trajectory(run_id="r", input="", steps=steps, final_output="done")
    result = AgentRunResult(trajectory)

    def failing() -> str:
        try:
            result.assert_tool_was_called("absent")
        except AssertionError as error:
            return str(error)
        return ""

    return {
        "tool_called_before": "bool(result.tool_called_before('tool_0', 'refund'))",
        "tool_called_with_partial": f"bool(result.tool_called_with_partial('refund', order_id={size - 1}))",
        "tool_called_with_partial, its last call": (
            f"bool(result.tool_called_with_partial('tool_0', order_id={last_of_first_tool(size)}))"
        ),
        "call_order_contains": "bool(result.call_order_contains(wanted))",
        "failing tool_was_called, with its text": "failing()",
        "to JSON": "dumps(trajectory.to_dict())",
        "round trip": "Trajectory.from_dict(loads(dumps(trajectory.to_dict())))",
    }, {
        "result": result,
        "trajectory": trajectory,
        "Trajectory": Trajectory,
        "wanted": WANTED,
        "failing": failing,
        "dumps": json.dumps,
        "loads": json.loads,
    }


def unitai(size: int) -> Operations:
    from unitai import AgentRunResult, Trajectory, TrajectoryStep

    def make(order: int) -> Trajectory:
        steps = [
            TrajectoryStep(step_index=i, timestamp=float(i), tool_name=name, tool_args=args, tool_result=result)
            for i, name, args, result in rows(size)[::order]
        ]
        return Trajectory(run_id="r", input="", steps=steps, final_output="done")

    trajectory, same, reversed_ = make(1), make(1), make(-1)
    assert Trajectory.from_json(trajectory.to_json()) == trajectory
    return {
        "tool_called_before": "bool(result.tool_called_before('tool_0', 'refund'))",
        "tool_called_with_partial": f"bool(result.tool_called_with_partial('refund', order_id={size - 1}))",
        "tool_called_with_partial, its last call": (
            f"bool(result.tool_called_with_partial('tool_0', order_id={last_of_first_tool(size)}))"
        ),
        "call_order_contains": "bool(result.call_order_contains(wanted))",
        "failing tool_was_called, with its text": "str(result.tool_was_called('absent'))",
        "matches strict": "bool(result.matches(same, 'strict'))",
        "matches in_order": "bool(result.matches(same, 'in_order'))",
        "matches unordered": "bool(result.matches(same, 'unordered'))",
        "matches unordered, reversed": "bool(result.matches(reversed_, 'unordered'))",
        "matches strict, list of pairs": "bool(result.matches(pairs, 'strict'))",
        "matches unordered, names alone": "bool(result.matches(names, 'unordered'))",
        "to JSON": "trajectory.to_json()",
        "to JSON, recorded in a run": "recorded.to_json()",
        "round trip": "Trajectory.from_json(trajectory.to_json())",
    }, {
        "recorded": recorded_in_a_run(size),
        "result": AgentRunResult(trajectory),
        "trajectory": trajectory,
        "Trajectory": Trajectory,
        "same": same,
        "reversed_": reversed_,
        "pairs": [(name, args) for _, name, args, _ in rows(size)],
        "names": [name for _, name, _, _ in rows(size)],
        "wanted": WANTED,
    }


def recorded_in_a_run(size: int) -> Any:
    """The same calls as an agent makes them. Its steps share one text of the mock's answer in memory."""
    from unitai import MockToolkit

    toolkit = MockToolkit(max_tool_calls=size)
    for name in {*TOOLS, "refund"}:
        toolkit.mock(name, return_value={"ok": True, "note": "done"})
    tools = toolkit.as_dict()

    def agent() -> None:
        for _, name, args, _ in rows(size):
            tools[name](args)

    return toolkit.run_generic(agent, timeout=None).trajectory


MAKES: dict[str, Callable[[int], Operations]] = {"plain": plain_lists, "trajai": trajai, "unitai": unitai}


def microseconds(statement: str, names: dict[str, Any]) -> float:
    """The best of several loops: whatever else the machine does can only add."""
    assert eval(statement, names), f"{statement} is not true, so it is not what is meant"
    timer = timeit.Timer(statement, "gc.enable()", time.process_time, {**names, "gc": gc})
    loops, spent = 1, timer.timeit(1)
    while spent < 0.02:
        loops *= 4
        spent = timer.timeit(loops)
    others = timer.repeat(4, loops) if spent < 0.5 else []
    return min([spent, *others]) / loops * 1e6


def work(make: str, size: int, wanted: list[str]) -> None:
    statements, names = MAKES[make](size)
    chosen = {name: text for name, text in statements.items() if name in wanted}
    print(json.dumps({name: microseconds(text, names) for name, text in chosen.items()}))


def repeat(make: str, size: int, operation: str, turns: int) -> None:
    """The bare loop, for counting instructions."""
    statements, names = MAKES[make](size)
    statement = compile(statements[operation], "<bench>", "eval")
    for _ in range(turns):
        eval(statement, names)


if __name__ == "__main__":
    if sys.argv[1] == "repeat":
        repeat(sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
    else:
        work(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
