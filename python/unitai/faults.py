"""Faults on purpose: what goes wrong with model calls and tools, and when.

>>> from unitai.faults import faults, on_model, on_tool, error, rate_limit
>>> plan = faults(
...     [
...         on_model(nth=1).then(rate_limit(retry_after=1)),
...         on_tool("search", chance=0.2).then(error("down")),
...     ],
...     seed=7,
... )
>>> plan
faults([on_model(nth=1).then(rate_limit(retry_after=1)), on_tool('search', chance=0.2).then(error('down'))], seed=7)

A plan is used as `MockToolkit(faults=plan)`, or as `with plan:` around what runs agents. Every run meets
it from its beginning, and the same seed gives the same run the same faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

from unitai._engine import FaultPlan, clean, close_faults, open_faults
from unitai.attempt import current
from unitai.errors import InvalidArgumentError, shown

__all__ = [
    "Fault",
    "FaultRule",
    "Faults",
    "contradict",
    "corrupt",
    "cut",
    "delay",
    "empty",
    "error",
    "faults",
    "malformed",
    "on_model",
    "on_tool",
    "rate_limit",
    "reset",
    "server_error",
    "slow",
    "timeout",
    "wrong_schema",
]

#: What a condition on a text may be: a text that must occur, a compiled pattern, a function of the text, or
#: anything that is equal to it (see `unitai.match`).
Matcher = str | re.Pattern[str] | Callable[[str], bool] | Any


class Fault:
    """What goes wrong. Made by `rate_limit`, `error` and the like."""

    def __init__(self, target: str, line: tuple[Any, ...], text: str) -> None:
        self._target = target
        self._line = line
        self._text = text

    def __repr__(self) -> str:
        return clean(self._text)


class FaultRule:
    """Some calls meet a fault. Made by `on_model(...).then(...)` and `on_tool(...).then(...)`."""

    def __init__(self, line: tuple[Any, ...], text: str) -> None:
        self._line = line
        self._text = text

    def __repr__(self) -> str:
        return clean(self._text)


class Occasion:
    """Calls that wait for their fault. Made by `on_model` and `on_tool`."""

    def __init__(self, target: str, line: tuple[Any, ...], text: str) -> None:
        self._target = target
        self._line = line
        self._text = text

    def then(self, fault: Fault) -> FaultRule:
        """These calls meet this fault."""
        if not isinstance(fault, Fault):
            raise InvalidArgumentError(
                f"{self._text}.then() takes a fault, not {shown(fault)}", remedy="use rate_limit(), error() and so on"
            )
        if fault._target != self._target:
            raise InvalidArgumentError(
                f"{fault!r} is a fault of a {fault._target}, not of a {self._target}",
                remedy=f"write on_{fault._target}(...).then({fault!r})",
            )
        return FaultRule((*self._line, fault._line), f"{self._text}.then({fault!r})")

    def __repr__(self) -> str:
        return clean(self._text)


class Faults:
    """A plan of faults. Made by `faults`; works as a context manager, and as `MockToolkit(faults=...)`."""

    def __init__(self, rules: Iterable[FaultRule], *, seed: int = 0) -> None:
        if not isinstance(rules, Iterable) or isinstance(rules, (str, bytes, Mapping)):
            raise InvalidArgumentError(f"faults are a list of rules, not {shown(rules)}")
        self._rules = list(rules)
        for rule in self._rules:
            if not isinstance(rule, FaultRule):
                remedy = "finish it with .then(...)" if isinstance(rule, Occasion) else "use on_model and on_tool"
                raise InvalidArgumentError(f"{shown(rule)} is no rule of a plan of faults", remedy=remedy)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise InvalidArgumentError(f"a seed is a whole number from 0, not {shown(seed)}")
        self._seed = seed
        self._open: list[FaultPlan] = []

    @property
    def seed(self) -> int:
        """The seed of everything that is left to chance."""
        return self._seed

    @property
    def rules(self) -> list[FaultRule]:
        """The rules, in order."""
        return list(self._rules)

    def with_seed(self, seed: int) -> Faults:
        """The same rules with another seed."""
        return Faults(self._rules, seed=seed)

    def plan(self) -> FaultPlan:
        """The plan as the engine uses it, at its beginning."""
        attempt = current.get()
        # The runs of a repeated test would otherwise all meet the same faults.
        seed = self._seed if attempt is None else (self._seed + attempt.index) % 2**64
        return FaultPlan([rule._line for rule in self._rules], seed)

    def __enter__(self) -> Faults:
        plan = self.plan()
        open_faults(plan)
        self._open.append(plan)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        close_faults(self._open.pop())

    async def __aenter__(self) -> Faults:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def __getstate__(self) -> dict[str, Any]:
        # Whoever gets a copy is not inside of it.
        return {"_rules": self._rules, "_seed": self._seed, "_open": []}

    def __repr__(self) -> str:
        return f"faults({self._rules!r}, seed={self._seed})"


def faults(rules: Iterable[FaultRule], *, seed: int = 0) -> Faults:
    """A plan of faults for model calls and tools. Of several rules that want the same call, the first has it.

    Args:
        rules: `on_model(...).then(...)` and `on_tool(...).then(...)`.
        seed: Another seed, another choice of what is left to chance. The same seed always chooses alike: by
            the rule, by what the call says and by how often it said so in this run, never by the order of threads.
    """
    return Faults(rules, seed=seed)


def on_model(
    last_message: Matcher | None = None,
    *,
    tool_result: Matcher | None = None,
    tool: Matcher | None = None,
    system: Matcher | None = None,
    model: Matcher | None = None,
    nth: int | Iterable[int] | None = None,
    every: int | None = None,
    chance: float | None = None,
    times: int | None = None,
) -> Occasion:
    """Model calls. The first five say which calls are looked at, as in `unitai.script.when`; the others which of
    those meet the fault. All that is given must hold.

    Args:
        last_message: What the user said last.
        tool_result: A result that a tool has just given.
        tool: The name of a tool that has just given a result.
        system: The system prompt.
        model: The model's name.
        nth: Which of these calls in a run, from 1; or several.
        every: Every so many of them.
        chance: How likely each is to meet the fault, from 0 to 1.
        times: No more than so many in a run.

    >>> on_model("refund", nth=[1, 2]).then(server_error(503))
    on_model(last_message='refund', nth=[1, 2]).then(server_error(503))
    """
    texts = {"last_message": last_message, "tool_result": tool_result, "tool": tool, "system": system, "model": model}
    tests = [(word, want) for word, want in texts.items() if want is not None]
    when, spelled = _when(nth, every, chance, times)
    words = ", ".join([*(f"{word}={want!r}" for word, want in tests), *spelled])
    return Occasion("model", ("model", tests, when), f"on_model({words})")


def on_tool(
    tool: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    *,
    nth: int | Iterable[int] | None = None,
    every: int | None = None,
    chance: float | None = None,
    times: int | None = None,
) -> Occasion:
    """Calls of a tool; of any, unless it is named.

    Args:
        tool: The tool's name.
        arguments: What the call must be given, perhaps among other arguments. Matchers of `unitai.match` work.
        nth: Which of these calls in a run, from 1; or several.
        every: Every so many of them.
        chance: How likely each is to meet the fault, from 0 to 1.
        times: No more than so many in a run.

    >>> on_tool("lookup", {"order_id": "123"}, times=2).then(error("the database is down"))
    on_tool('lookup', {'order_id': '123'}, times=2).then(error('the database is down'))
    """
    if tool is not None and (not isinstance(tool, str) or not tool):
        raise InvalidArgumentError(f"on_tool() takes the name of a tool, not {shown(tool)}")
    if arguments is not None and not isinstance(arguments, Mapping):
        raise InvalidArgumentError(f"the arguments of a call are a dictionary by name, not {shown(arguments)}")
    wanted = None if arguments is None else dict(arguments)
    when, spelled = _when(nth, every, chance, times)
    words = [repr(part) for part in (tool, wanted) if part is not None] + spelled
    return Occasion("tool", ("tool", tool, wanted, when), f"on_tool({', '.join(words)})")


def rate_limit(retry_after: float | None = None, *, message: str | None = None) -> Fault:
    """The provider has had too many requests: status 429.

    Args:
        retry_after: Seconds after which the client may try again. Most clients really wait for so long.
        message: What the provider says.
    """
    after = None if retry_after is None else _seconds(retry_after)
    text = "rate_limit()" if after is None else f"rate_limit(retry_after={retry_after!r})"
    return Fault("model", ("refuse", 429, _message(message, "rate limit reached"), after), text)


def server_error(status: int = 500, *, message: str | None = None) -> Fault:
    """The provider fails: status 500, 502, 503, 529 or any other of 500 to 599."""
    if isinstance(status, bool) or not isinstance(status, int) or not 500 <= status <= 599:
        raise InvalidArgumentError(f"server_error() takes an HTTP status from 500 to 599, not {shown(status)}")
    usual = "overloaded" if status == 529 else "the server had an error"
    return Fault("model", ("refuse", status, _message(message, usual), None), f"server_error({status})")


def reset() -> Fault:
    """The connection is reset before an answer comes. The client raises what it raises for that."""
    return Fault("model", ("reset",), "reset()")


def timeout(after: float = 0.0) -> Fault:
    """No answer comes in time. The client raises what it raises for that.

    Args:
        after: Seconds that really pass before, or the client's own patience if that is shorter. By default its
            time is taken to be up at once.
    """
    return Fault("model", ("timeout", _seconds(after)), f"timeout({after!r})" if after else "timeout()")


def slow(first_byte: float = 0.0, *, pace: float = 0.0) -> Fault:
    """The answer is late, but comes.

    Args:
        first_byte: Seconds before its first byte. A client that waits less raises its own time-out.
        pace: Seconds before each part of a streamed answer.
    """
    words = [repr(first_byte)] if first_byte else []
    words += [f"pace={pace!r}"] if pace else []
    return Fault("model", ("slow", _seconds(first_byte), _seconds(pace)), f"slow({', '.join(words)})")


def cut(chunks: int | None = None, *, bytes: int | None = None) -> Fault:
    """The connection ends in the middle of the answer.

    Args:
        chunks: Parts of a streamed answer that still come: 1, unless given. A plain answer that is cut by parts
            loses its second half.
        bytes: Bytes that still come, instead.
    """
    if chunks is not None and bytes is not None:
        raise InvalidArgumentError("cut() takes chunks or bytes, not both")
    word, many = ("bytes", bytes) if bytes is not None else ("chunks", 1 if chunks is None else chunks)
    if isinstance(many, bool) or not isinstance(many, int) or not 0 <= many < 2**32:
        raise InvalidArgumentError(f"cut() takes a whole number of at least 0, not {shown(many)}")
    text = f"cut(bytes={many})" if bytes is not None else f"cut({many})"
    return Fault("model", ("cut", word, many), text)


def malformed() -> Fault:
    """The answer is no JSON: its end is missing. In a stream, it is one event."""
    return Fault("model", ("malformed",), "malformed()")


def wrong_schema() -> Fault:
    """The answer is JSON, but has none of the fields that the provider promises."""
    return Fault("model", ("wrong_schema",), "wrong_schema()")


def error(what: str | BaseException | type[BaseException] = "the tool failed") -> Fault:
    """The call raises, and the tool is not called.

    Args:
        what: The message of a `RuntimeError`, or an exception, or a class of them.
    """
    if isinstance(what, str):
        return Fault("tool", ("error", what), f"error({what!r})")
    if isinstance(what, BaseException) or (isinstance(what, type) and issubclass(what, BaseException)):
        name = what.__name__ if isinstance(what, type) else type(what).__name__
        said = "" if isinstance(what, type) else str(what)
        message = f"{name}: {said}" if said else name
        return Fault("tool", ("error", message, what), f"error({name if isinstance(what, type) else repr(what)})")
    raise InvalidArgumentError(f"error() takes a message or an exception, not {shown(what)}")


def delay(seconds: float) -> Fault:
    """The tool's answer is late by so many seconds."""
    return Fault("tool", ("delay", _seconds(seconds)), f"delay({seconds!r})")


def empty() -> Fault:
    """The agent gets the empty value of the kind that the tool returned: `""`, `[]`, `{}`; otherwise `None`."""
    return Fault("tool", ("empty",), "empty()")


def corrupt() -> Fault:
    """The agent gets what the tool returned, garbled: text with holes, absurd numbers. Keys stay, kinds stay."""
    return Fault("tool", ("corrupt",), "corrupt()")


_NOTHING: Any = object()


def contradict(value: Any = _NOTHING) -> Fault:
    """The agent gets a well-formed answer that says the contrary of what the tool returned: what is true becomes
    false, amounts get the other sign, `"delivered"` becomes `"lost"`. What names a thing (ids, dates) stays.

    Args:
        value: What the agent gets instead, where that is not what you mean.
    """
    if value is _NOTHING:
        return Fault("tool", ("contradict",), "contradict()")
    return Fault("tool", ("contradict", value), f"contradict({value!r})")


def read_faults(given: Any) -> Faults | None:
    """What a toolkit was given as its faults."""
    if given is None or isinstance(given, Faults):
        return given
    return Faults(given)


_Times = tuple[list[int], int | None, float | None, int | None]


def _when(
    nth: int | Iterable[int] | None, every: int | None, chance: float | None, times: int | None
) -> tuple[_Times, list[str]]:
    """Which calls of those that are looked at, for the engine and as one writes it."""
    numbers = [] if nth is None else [nth] if isinstance(nth, int) else list(nth)
    for name, count in [*(("nth", number) for number in numbers), ("every", every), ("times", times)]:
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not 0 < count < 2**63):
            raise InvalidArgumentError(f"{name} counts calls from 1, not {shown(count)}")
    if nth is not None and not numbers:
        raise InvalidArgumentError("nth names no call", remedy="write nth=1 or nth=[1, 3]")
    if chance is not None and (
        isinstance(chance, bool) or not isinstance(chance, (int, float)) or not 0 <= chance <= 1
    ):
        raise InvalidArgumentError(f"chance is a number from 0 to 1, not {shown(chance)}")
    number: Any = numbers[0] if len(numbers) == 1 else numbers or None
    spelled = [("nth", number), ("every", every), ("chance", chance), ("times", times)]
    words = [f"{name}={value!r}" for name, value in spelled if value is not None]
    return (numbers, every, None if chance is None else float(chance), times), words


def _message(message: str | None, usual: str) -> str:
    if message is None:
        return f"{usual} (a fault on purpose)"
    if not isinstance(message, str):
        raise InvalidArgumentError(f"a message is text, not {shown(message)}")
    return message


def _seconds(seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < 1e6:
        raise InvalidArgumentError(f"expected a number of seconds of at least 0, not {shown(seconds)}")
    return float(seconds)
