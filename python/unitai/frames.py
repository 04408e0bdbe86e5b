"""Which frames of a traceback are worth a look: those of somebody who can do something about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import TracebackType

from unitai._engine import whose_code
from unitai.errors import UnitAIError

__all__ = ["says_all", "telling"]

#: What stands below every test.
_RUNNERS = ("_pytest", "anyio", "execnet", "pluggy", "pytest", "pytest_asyncio", "unitai", "xdist")


def telling(error: BaseException) -> list[TracebackType]:
    """The frames to show of an error; none where its text says all of it."""
    entries = list(_entries(error.__traceback__))
    whose = [whose_code(entry.tb_frame.f_code.co_filename) for entry in entries]
    if isinstance(error, UnitAIError):
        # What we refuse says all of it in its text. The way there through a framework says nothing, unless it is all.
        of_project = [entry for entry, owner in zip(entries, whose, strict=True) if owner == "project"]
        return of_project or [entry for entry in entries if _is_of_others(entry)]
    if whose and whose[-1] == "unitai" and not entries[-1].tb_frame.f_locals.get("__tracebackhide__"):
        # A mistake of ours is looked for in our code.
        return entries
    return [entry for entry, owner in zip(entries, whose, strict=True) if owner != "unitai"]


def _is_of_others(entry: TracebackType) -> bool:
    """Whether the code is of an installed package other than ours and those that run tests: of shared fixtures, say."""
    parts = re.split(r"[/\\]", entry.tb_frame.f_code.co_filename)
    place = next((at for at, part in enumerate(parts) if part in ("site-packages", "dist-packages")), None)
    return place is not None and parts[place + 1] not in _RUNNERS


def says_all(error: BaseException) -> bool:
    """Whether the text of an error needs no frame beside it, of its own or of another error that it came with."""
    other = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return other is None and not telling(error)


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
