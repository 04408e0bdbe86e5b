"""How a run ended, and what it left behind."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from unitai.errors import AgentTimeoutError

__all__ = ["GRACE", "Ending", "Lingering", "Task", "left_behind", "timeout_error"]

#: How long code that was told to stop may take to do so before it is left behind.
GRACE = 0.1

#: How many seconds after its deadline a run has ended at the latest, unless something held up the deadline itself.
OVERDUE = 0.5


class Lingering(Protocol):
    """What a run could not stop: a thread, or an agent on the event loop."""

    def is_alive(self) -> bool:
        """Whether it still runs."""


class Task:
    """A task on the event loop that outlives its run."""

    def __init__(self, task: Any) -> None:
        self._task = task

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return not self._task.done()


class Ending(NamedTuple):
    """How a run ended, as seen from outside."""

    output: Any = None
    error: BaseException | None = None
    #: What interrupted the wait itself (Ctrl-C), to be raised once the record is closed.
    interrupt: BaseException | None = None
    #: What the run began and did not wait for, or what could not be stopped.
    left_behind: list[Lingering] = []
    #: Whether the code itself could not be stopped.
    is_abandoned: bool = False


def timeout_error(
    timeout: float, took: float, thread: threading.Thread | None = None, still_runs: bool = False
) -> AgentTimeoutError:
    """The error of a run that did not end in time. `took` is how many seconds it really took, or has taken so far."""
    rest = ""
    remedy = "give it more time with timeout=..., or look at its last steps"
    if took > timeout + OVERDUE:
        rest = (
            f"; it took {took:.1f} seconds, for something held up its deadline: code that keeps the interpreter's "
            "lock, such as a regular expression that backtracks, lets no other thread work"
        )
        remedy = (
            "look for such code in its last steps; `unitai test` ends it from outside with the setting hard_timeout"
        )
    if still_runs:
        name = f"its thread {thread.name}" if thread is not None else "its task"
        rest += f"; {name} could not be stopped, and its tool and model calls are refused from now on"
    return AgentTimeoutError(f"the agent did not end within {timeout:g} seconds{rest}", remedy=remedy)


def left_behind(before: Sequence[threading.Thread], is_over: bool) -> list[threading.Thread]:
    """Threads that a run began and did not end. Idle ones of ours are none of them, nor are those of a pool that an
    agent keeps for its next run.
    """
    now = threading.enumerate()
    if now == before:
        return []
    pools = sys.modules.get("concurrent.futures.thread")
    kept = getattr(pools, "_threads_queues", {}) if is_over else {}
    new = [thread for thread in now if thread not in before]
    return [thread for thread in new if thread.name not in OURS and thread not in kept]


#: The names of our own threads.
OURS = ("unitai-agent", "unitai-loop", "unitai-run")
