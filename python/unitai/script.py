"""What a scripted model says, step by step.

>>> from unitai.script import call, fail, say, when
>>> steps = [
...     call("lookup_order", order_id="123"),
...     when(tool_result="delivered").then(call("process_refund", order_id="123")),
...     say("Your refund is on its way."),
... ]
>>> steps[0]
call('lookup_order', order_id='123')

Steps are played in order. A `when` answers whenever its condition holds and it has steps left,
before the plain steps are asked. A list of steps is one answer: several tool calls at once, or text
and a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from unitai._engine import clean
from unitai.errors import InvalidArgumentError, shown

__all__ = [
    "Answer",
    "Choice",
    "Embeddings",
    "Failure",
    "Rule",
    "call",
    "choose",
    "embed",
    "fail",
    "refuse",
    "say",
    "think",
    "together",
    "when",
]

#: What a condition may be: a text that must occur, a compiled pattern, a function of the text, or anything
#: that is equal to it (see `unitai.match`).
Matcher = str | re.Pattern[str] | Callable[[str], bool] | Any


class Answer:
    """What the model says in one answer. Made by `say`, `call`, `think`, `refuse` and `together`."""

    def __init__(self, parts: tuple[tuple[str, str, str], ...], text: str, finish: str | None = None) -> None:
        self._parts = parts
        self._text = text
        self._finish = finish
        self._usage: tuple[int, ...] | None = None
        self._delay = 0.0
        self._pace = 0.0

    def using(
        self,
        prompt_tokens: int,
        completion_tokens: int,
        *,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
        reasoning_tokens: int = 0,
    ) -> Answer:
        """The same answer with this usage. Without it, four bytes of text count as a token.

        Args:
            prompt_tokens: All tokens of the prompt, cached ones included.
            completion_tokens: All tokens of the answer, reasoning included.
            cache_read_tokens: Tokens of the prompt that came from the provider's cache.
            cache_write_tokens: Tokens of the prompt that were written to it.
            reasoning_tokens: Tokens of the answer that were reasoning.
        """
        counts = (prompt_tokens, cache_read_tokens, cache_write_tokens, completion_tokens, reasoning_tokens)
        for count in counts:
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**63:
                raise InvalidArgumentError(f"tokens must be whole numbers of at least 0, not {shown(count)}")
        fresh = prompt_tokens - cache_read_tokens - cache_write_tokens
        if fresh < 0 or reasoning_tokens > completion_tokens:
            raise InvalidArgumentError("prompt_tokens include the cached ones, and completion_tokens the reasoning")
        copy = self._copy()
        copy._usage = (fresh, cache_read_tokens, cache_write_tokens, 0, completion_tokens, reasoning_tokens)
        return copy

    def after(self, seconds: float, *, pace: float = 0.0) -> Answer:
        """The same answer after a while. `pace` is the time before each part of a streamed answer."""
        copy = self._copy()
        copy._delay, copy._pace = _seconds(seconds), _seconds(pace)
        return copy

    def unchecked(self) -> Answer:
        """The same answer, whose calls may be impossible: of a tool that the request does not offer, or with arguments
        that its schema refuses. For tests of how an agent handles such a call; otherwise it is an error of the script.

        >>> call("no_such_tool").unchecked()
        call('no_such_tool').unchecked()
        """
        if not any(kind.endswith("call") for kind, *_ in self._parts):
            raise InvalidArgumentError(
                f"{self!r} calls no tool, so there is nothing to leave unchecked",
                remedy='write call("lookup_order", order="123").unchecked()',
            )
        copy = self._copy()
        copy._parts = tuple(
            ("unchecked call" if kind == "call" else kind, first, second) for kind, first, second in self._parts
        )
        copy._text = f"{self._text}.unchecked()"
        return copy

    def _copy(self) -> Answer:
        copy = Answer(self._parts, self._text, self._finish)
        copy._usage, copy._delay, copy._pace = self._usage, self._delay, self._pace
        return copy

    def _line(self) -> tuple[Any, ...]:
        usage = None if self._usage is None else list(self._usage)
        return ("play", list(self._parts), usage, self._finish, self._delay, self._pace)

    def __repr__(self) -> str:
        return clean(self._text)


class Failure:
    """The provider fails. Made by `fail`."""

    def __init__(self, status: int, message: str, retry_after: float | None) -> None:
        self._status = status
        self._message = message
        self._retry_after = retry_after
        self._delay = 0.0

    def after(self, seconds: float) -> Failure:
        """The same failure after a while."""
        copy = Failure(self._status, self._message, self._retry_after)
        copy._delay = _seconds(seconds)
        return copy

    def _line(self) -> tuple[Any, ...]:
        return ("fail", self._status, self._message, self._retry_after, self._delay)

    def __repr__(self) -> str:
        return f"fail({self._status})"


class Choice:
    """One of several steps, by a seeded choice. Made by `choose`."""

    def __init__(self, steps: list[Answer | Failure | Choice], weights: list[float], seed: int) -> None:
        self._steps = steps
        self._weights = weights
        self._seed = seed

    def _line(self) -> tuple[Any, ...]:
        return ("choice", [step._line() for step in self._steps], self._weights, self._seed)

    def __repr__(self) -> str:
        return f"choose({', '.join(map(repr, self._steps))})"


class Rule:
    """Answers for when a condition holds. Made by `when(...).then(...)` or `when(...).always(...)`."""

    def __init__(self, tests: list[tuple[str, Any]], steps: list[Answer | Failure | Choice], standing: bool) -> None:
        self._tests = tests
        self._steps = steps
        self._standing = standing

    def _line(self) -> tuple[Any, ...]:
        return ("rule", self._tests, [step._line() for step in self._steps], self._standing)

    def __repr__(self) -> str:
        tests = ", ".join(f"{word}={want!r}" for word, want in self._tests)
        steps = ", ".join(map(repr, self._steps))
        return clean(f"when({tests}).{'always' if self._standing else 'then'}({steps})")


class Condition:
    """A condition that waits for its answers. Made by `when`."""

    def __init__(self, tests: list[tuple[str, Any]]) -> None:
        self._tests = tests

    def then(self, *steps: Any) -> Rule:
        """When the condition holds: the first of these, the next time the second. Each must be played."""
        return Rule(self._tests, self._read(steps), False)

    def always(self, step: Any) -> Rule:
        """Each time the condition holds: this. It need not be played."""
        return Rule(self._tests, self._read((step,)), True)

    def _read(self, steps: tuple[Any, ...]) -> list[Answer | Failure | Choice]:
        if not steps:
            raise InvalidArgumentError("a condition needs an answer", remedy='write when(...).then(say("..."))')
        return [_step(step) for step in steps]

    def __repr__(self) -> str:
        return clean(f"when({', '.join(f'{word}={want!r}' for word, want in self._tests)})")


class Embeddings:
    """Answers to requests for embeddings. Made by `embed`."""

    def __init__(self, dimensions: int | None) -> None:
        self._dimensions = dimensions

    def _line(self) -> tuple[Any, ...]:
        return ("embed", self._dimensions)

    def __repr__(self) -> str:
        return "embed()" if self._dimensions is None else f"embed(dimensions={self._dimensions})"


Step = Answer | Failure | Choice | Rule | Embeddings


def say(text: str, *, finish: str | None = None) -> Answer:
    """The model says this.

    Args:
        text: What it says; for structured output, the JSON text.
        finish: Why it stops: `"stop"` unless given, or `"length"`, as if it had been cut.

    >>> say("Done.")
    say('Done.')
    """
    _check_text("say", text)
    if finish not in (None, "stop", "length"):
        raise InvalidArgumentError(f'finish must be "stop" or "length", not {shown(finish)}')
    return Answer((("say", text, ""),), f"say({text!r})", finish)


def call(tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Answer:
    """The model calls a tool.

    Args:
        tool: The tool's name.
        arguments: Its arguments as a mapping, where a name is no Python name.
        **more: Its arguments by name.

    >>> call("search", {"from": "2026-01-01"}, query="refunds")
    call('search', from='2026-01-01', query='refunds')
    """
    _check_text("call", tool)
    if not tool or not (arguments is None or isinstance(arguments, Mapping)):
        raise InvalidArgumentError(
            f"call() takes the name of a tool and its arguments, not {shown(arguments if tool else tool)}",
            remedy='write call("lookup_order", order_id="123")',
        )
    args = {**(arguments or {}), **more}
    if not all(isinstance(name, str) for name in args):
        raise InvalidArgumentError(f"the arguments of {tool} have names, not {shown(list(args))}")
    try:
        text = json.dumps(args, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"the arguments of {tool} are no JSON: {error}", remedy="a model can only say what JSON can say"
        ) from None
    spelled = "".join(f", {name}={value!r}" for name, value in args.items())
    return Answer((("call", tool, text),), f"call({tool!r}{spelled})")


def think(text: str) -> Answer:
    """The model reasons. Put it into a list with what it says then: `[think("..."), say("...")]`."""
    _check_text("think", text)
    return Answer((("think", text, ""),), f"think({text!r})")


def refuse(text: str) -> Answer:
    """The model declines, in the provider's own way."""
    _check_text("refuse", text)
    return Answer((("refuse", text, ""),), f"refuse({text!r})")


def together(*answers: Answer) -> Answer:
    """Several things in one answer, as a list in a script is.

    >>> together(say("Let me look."), call("lookup", id=1)).after(0.5)
    [say('Let me look.'), call('lookup', id=1)]
    """
    if not answers or not all(isinstance(answer, Answer) for answer in answers):
        raise InvalidArgumentError("one answer is made of say(...), call(...), think(...) and refuse(...)")
    parts = tuple(part for answer in answers for part in answer._parts)
    text = repr(answers[0]) if len(answers) == 1 else f"[{', '.join(map(repr, answers))}]"
    whole = Answer(parts, text, next((answer._finish for answer in answers if answer._finish), None))
    for answer in answers:
        whole._usage = answer._usage or whole._usage
        whole._delay, whole._pace = max(whole._delay, answer._delay), max(whole._pace, answer._pace)
    return whole


def fail(status: int, message: str | None = None, *, retry_after: float | None = None) -> Failure:
    """The provider fails with this HTTP status.

    Args:
        status: 400 to 599.
        message: What the provider says.
        retry_after: Seconds after which the client may try again.

    >>> fail(429, retry_after=1)
    fail(429)
    """
    if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
        raise InvalidArgumentError(f"fail() takes an HTTP status from 400 to 599, not {shown(status)}")
    if message is not None:
        _check_text("fail", message)
    usual = {400: "bad request", 401: "invalid API key", 429: "rate limit reached", 529: "overloaded"}
    text = usual.get(status, "the server had an error" if status >= 500 else "refused")
    return Failure(status, message or f"{text} (scripted)", None if retry_after is None else _seconds(retry_after))


def choose(*steps: Any, weights: Iterable[float] | None = None, seed: int = 0) -> Choice:
    """One of these, by a choice that repeats: the same seed chooses the same in the same run.

    Args:
        *steps: What may happen.
        weights: How likely each is compared to the others; equally, unless given.
        seed: Another seed, another sequence.
    """
    options = [_step(step) for step in steps]
    try:
        likely = [1.0] * len(options) if weights is None else [float(weight) for weight in weights]
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"weights are numbers, not {shown(weights)}") from None
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidArgumentError(f"a seed is a whole number, not {shown(seed)}")
    if len(options) != len(likely) or not options or not all(0 <= w < 1e300 for w in likely) or sum(likely) <= 0:
        raise InvalidArgumentError("choose() needs at least one step, and a weight of at least 0 for each")
    return Choice(options, likely, seed % 2**64)


def when(
    last_message: Matcher | None = None,
    *,
    tool_result: Matcher | None = None,
    tool: Matcher | None = None,
    system: Matcher | None = None,
    model: Matcher | None = None,
    turn: int | None = None,
) -> Condition:
    """A condition on a request; all that is given must hold. A text must occur in it, a compiled pattern
    must be found, a function must say yes, and anything else must be equal.

    Args:
        last_message: What the user said last.
        tool_result: A result that a tool has just given.
        tool: The name of a tool that has just given a result.
        system: The system prompt.
        model: The model's name.
        turn: Which request of the run, from 1.

    >>> when("refund", turn=1).then(call("lookup_order", order_id="123"))
    when(last_message='refund', turn=1).then(call('lookup_order', order_id='123'))
    """
    given = {"last_message": last_message, "tool_result": tool_result, "tool": tool, "system": system, "model": model}
    tests = [(word, want) for word, want in given.items() if want is not None]
    if turn is not None:
        if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
            raise InvalidArgumentError(f"turn counts requests from 1, not {shown(turn)}")
        tests.append(("turn", turn))
    if not tests:
        raise InvalidArgumentError("when() needs a condition", remedy='write when("refund") or when(turn=2)')
    return Condition(tests)


def embed(*, dimensions: int | None = None) -> Embeddings:
    """Requests for embeddings are answered, any number of them, by vectors that are made of the texts: the same text
    has the same vector, and texts with words in common are near each other. So a retriever finds what shares words with
    the question. No vector is that of a real model.

    Args:
        dimensions: How many numbers a vector has, where the request does not say so; what is usual for the model,
            unless given.

    >>> [embed(dimensions=64), say("Refunds take five days.")]
    [embed(dimensions=64), say('Refunds take five days.')]
    """
    if dimensions is not None and (
        isinstance(dimensions, bool) or not isinstance(dimensions, int) or not 1 <= dimensions <= 65536
    ):
        raise InvalidArgumentError(f"dimensions must be a whole number from 1 to 65536, not {shown(dimensions)}")
    return Embeddings(dimensions)


def lines(steps: Iterable[Any]) -> list[tuple[Any, ...]]:
    """A script as the engine reads it."""
    if not isinstance(steps, Iterable) or isinstance(steps, (str, bytes, Mapping, set, frozenset)):
        raise InvalidArgumentError(f"a script is a list of steps, not {shown(steps)}", remedy='write [say("..."), ...]')
    return [step._line() if isinstance(step, (Rule, Embeddings)) else _step(step)._line() for step in steps]


def _check_text(word: str, text: object) -> None:
    """Refuses what no model can say: other things than text, and text that has no bytes."""
    if not isinstance(text, str):
        remedy = "for data, say(json.dumps(data))" if word == "say" else None
        raise InvalidArgumentError(f"{word}() takes text, not {shown(text)}", remedy=remedy)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"{word}() takes text that can be sent, not {shown(text)}") from None


def _step(step: Any) -> Answer | Failure | Choice:
    if isinstance(step, str):
        return say(step)
    if isinstance(step, (list, tuple)):
        return together(*step)
    if isinstance(step, (Answer, Failure, Choice)):
        return step
    remedies = {Condition: "finish it with .then(...)", Embeddings: "write embed() as a line of its own"}
    remedy = remedies.get(type(step), "use say, call, fail, choose and when")
    raise InvalidArgumentError(f"{shown(step)} is no step of a script", remedy=remedy)


def _seconds(seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < 1e6:
        raise InvalidArgumentError(f"expected a number of seconds of at least 0, not {shown(seconds)}")
    return float(seconds)
