"""What does one mocked, recorded tool call cost, in instructions, time and memory?

The base is the least that an honest recorder in Python can do: a closure that appends a tuple with a
time. It keeps the arguments by reference, as all peers do. UnitAI keeps their text, so an agent that
changes its dictionary later cannot change the record.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

RESULT = {"status": "delivered", "total": 50.0}
BASE = "closure with a clock"

#: Loops are written out, not called: how a tool is called is part of the case.
Loop = Callable[[int], None]
#: Makes the loop, and hands out what must stay alive for the record to stay in memory.
Case = Callable[[], tuple[Loop, object]]


def over_mapping(call: Callable[[dict[str, Any]], Any]) -> Loop:
    def loop(turns: int) -> None:
        for i in range(turns):
            call({"order_id": i, "reason": "late"})

    return loop


def over_keywords(call: Callable[..., Any]) -> Loop:
    def loop(turns: int) -> None:
        for i in range(turns):
            call(order_id=i, reason="late")

    return loop


def bare() -> tuple[Loop, object]:
    return over_mapping(lambda args: RESULT), None


def list_append() -> tuple[Loop, object]:
    log: list[Any] = []
    return over_mapping(log.append), log


def closure() -> tuple[Loop, object]:
    log: list[Any] = []

    def call(args: dict[str, Any]) -> Any:
        log.append((args, RESULT))
        return RESULT

    return over_mapping(call), log


def closure_with_clock() -> tuple[Loop, object]:
    log: list[Any] = []
    now = time.time_ns

    def call(args: dict[str, Any]) -> Any:
        log.append((now(), args, RESULT))
        return RESULT

    return over_mapping(call), log


def closure_with_clock_and_keywords() -> tuple[Loop, object]:
    log: list[Any] = []
    now = time.time_ns

    def call(**args: Any) -> Any:
        log.append((now(), args, RESULT))
        return RESULT

    return over_keywords(call), log


def _tool() -> tuple[Callable[..., Any], Any]:
    from unitai import MockToolkit

    toolkit = MockToolkit(max_tool_calls=2**31)
    toolkit.mock("lookup", return_value=RESULT)
    return toolkit.as_dict()["lookup"], toolkit


def unitai_mapping() -> tuple[Loop, object]:
    call, toolkit = _tool()
    return over_mapping(call), toolkit


def unitai_keywords() -> tuple[Loop, object]:
    call, toolkit = _tool()
    return over_keywords(call), toolkit


def unitai_in_a_run() -> tuple[Loop, object]:
    call, toolkit = _tool()
    kept: list[Any] = [toolkit]
    calls = over_mapping(call)

    def loop(turns: int) -> None:
        result = toolkit.run_generic(lambda: calls(turns), timeout=None)
        assert result.tool_call_count("lookup") == turns
        kept.append(result)

    return loop, kept


def mock() -> tuple[Loop, object]:
    from unittest.mock import Mock

    call = Mock(return_value=RESULT)
    return over_mapping(call), call


def magic_mock() -> tuple[Loop, object]:
    from unittest.mock import MagicMock

    call = MagicMock(return_value=RESULT)
    return over_mapping(call), call


def trajai() -> tuple[Loop, object]:
    from trajai.mock import MockToolkit

    toolkit = MockToolkit()
    toolkit.mock("lookup", return_value=RESULT)
    return over_mapping(toolkit.as_dict()["lookup"]), toolkit


#: Each case with the environment that it needs.
CASES: dict[str, tuple[str, Case]] = {
    "bare function, nothing kept": ("plain", bare),
    "list.append": ("plain", list_append),
    "closure with a tuple": ("plain", closure),
    BASE: ("plain", closure_with_clock),
    "closure with a clock, keywords": ("plain", closure_with_clock_and_keywords),
    "unitai, one mapping": ("unitai", unitai_mapping),
    "unitai, keywords": ("unitai", unitai_keywords),
    "unitai, in a run": ("unitai", unitai_in_a_run),
    "trajai": ("trajai", trajai),
    "Mock": ("plain", mock),
    "MagicMock": ("plain", magic_mock),
}


def resident_bytes() -> int:
    """The memory of this process, Rust's included."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def work(case: str, what: str, turns: int) -> None:
    """One case in this process."""
    loop, keep_alive = CASES[case][1]()
    loop(1)  # What the first call alone pays is not a call's price.
    gc.collect()
    memory, start = resident_bytes() if what == "memory" else 0, time.process_time()
    loop(turns)
    spent = time.process_time() - start
    gc.collect()
    grown = resident_bytes() - memory if what == "memory" else 0
    print(json.dumps({"ns": spent / turns * 1e9, "bytes": grown / turns}))
    del keep_alive


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
