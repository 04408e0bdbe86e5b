"""Model calls that no traffic shows: fakes, models in this process, models behind a protocol that UnitAI cannot read.

The methods by which a framework asks its models are watched. Where a request to a model is seen meanwhile, or a model
inside of the model ends its own call, that is the record. Where neither is, the call is a step with the tokens that the
framework reports; tokens that it does not report are unknown, and not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial, wraps
from inspect import isawaitable, iscoroutinefunction
from typing import Any, NamedTuple

from unitai._engine import FrameworkCall
from unitai.adapters.ports import Session

__all__ = ["ModelKind", "Usage", "tokens", "watched"]

#: Tokens of the prompt and of the answer.
Usage = tuple[int, int]
_END: Any = object()


class ModelKind(NamedTuple):
    """How the models of a framework are called, and what they report."""

    #: The attributes of a model that may hold its name. Otherwise it is called as its class is.
    names: tuple[str, ...]
    #: What an answer, or a piece of a stream, says of the tokens that it took.
    usage: Callable[[Any], Usage | None] = lambda answer: None
    #: What a model has counted so far, where it keeps count and its answers say nothing.
    counter: Callable[[Any], Usage | None] = lambda model: None
    #: The modules of models that were made for tests, and cost nothing.
    fakes: tuple[str, ...] = ()
    #: Whether the pieces of a stream each say what they took; otherwise the last that says anything says it all.
    is_summed: bool = False

    def wrap(self, model: Any, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method of a model that answers, in whatever way it does, with its calls watched."""
        if iscoroutinefunction(method):

            @wraps(method)
            async def ask_and_wait(*args: Any, **options: Any) -> Any:
                session = Session.here(is_framework=False)
                if session is None:
                    return await method(*args, **options)
                call = _Call(self, session, model)
                return await call.awaited(call.begin(partial(method, *args, **options)))

            return ask_and_wait

        @wraps(method)
        def ask(*args: Any, **options: Any) -> Any:
            session = Session.here(is_framework=False)
            if session is None:
                return method(*args, **options)
            call = _Call(self, session, model)
            return call.answered(call.begin(partial(method, *args, **options)))

        return ask


class _Call:
    """One call of a model, from its beginning to its end."""

    def __init__(self, kind: ModelKind, session: Session, model: Any) -> None:
        self._kind = kind
        self._model = model
        self._call: FrameworkCall = session.watch_model_call()
        self._counted = kind.counter(model)
        self._usage: Usage | None = None

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Requests that are sent in here are this call's. Between two pieces of a stream, others may send some."""
        self._call.enter()
        try:
            yield
        finally:
            self._call.leave()

    def begin(self, method: Callable[[], Any]) -> Any:
        try:
            with self._inside():
                return method()
        except BaseException:
            self._end()
            raise

    def answered(self, answer: Any) -> Any:
        """What a method has given: the answer, or something that will give it."""
        if hasattr(answer, "with_pull_context_manager"):
            # The Agent Framework's streams are more than iterators, and can be awaited, too.
            answer.with_transform_hook(self._piece)
            return answer.with_pull_context_manager(self._inside).with_cleanup_hook(self._end)
        if isawaitable(answer):
            return self.awaited(answer)
        if hasattr(answer, "__aenter__"):
            return self._entered(answer)
        if hasattr(answer, "__aiter__"):
            return self._pieces_awaited(answer)
        if hasattr(answer, "__next__"):
            return self._pieces(answer)
        self._say(answer)
        self._end()
        return answer

    async def awaited(self, answer: Any) -> Any:
        try:
            with self._inside():
                answer = await answer
            self._say(answer)
        finally:
            self._end()
        return answer

    def _pieces(self, pieces: Any) -> Iterator[Any]:
        try:
            while True:
                with self._inside():
                    piece = next(pieces, _END)
                if piece is _END:
                    return
                yield self._piece(piece)
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
            self._end()

    async def _pieces_awaited(self, pieces: Any) -> Any:
        pieces = aiter(pieces)
        try:
            while True:
                with self._inside():
                    piece = await anext(pieces, _END)
                if piece is _END:
                    return
                yield self._piece(piece)
        finally:
            if hasattr(pieces, "aclose"):
                await pieces.aclose()
            self._end()

    @asynccontextmanager
    async def _entered(self, manager: Any) -> Any:
        """A stream that is entered. What it took is known when it is left."""
        stream = None
        try:
            with self._inside():
                stream = await manager.__aenter__()
            try:
                yield stream
            except BaseException as error:
                with self._inside():
                    if not await manager.__aexit__(type(error), error, error.__traceback__):
                        raise
            else:
                with self._inside():
                    await manager.__aexit__(None, None, None)
        finally:
            self._say(stream)
            self._end()

    def _piece(self, piece: Any) -> Any:
        # Some frameworks call a tool while the stream is open.
        self._call.begin(self._name())
        self._say(piece)
        return piece

    def _say(self, answer: Any) -> None:
        usage = None if answer is None else self._kind.usage(answer)
        if usage is not None:
            self._usage = _sum(self._usage, usage) if self._kind.is_summed else usage

    def _end(self) -> None:
        counted = self._kind.counter(self._model)
        if self._usage is None and self._counted is not None and counted is not None and counted != self._counted:
            self._usage = counted[0] - self._counted[0], counted[1] - self._counted[1]
        is_fake = any(base.__module__ in self._kind.fakes for base in type(self._model).__mro__)
        self._call.end(self._name(), self._usage, 0.0 if is_fake else None)

    def _name(self) -> str:
        given = (getattr(self._model, name, None) for name in self._kind.names)
        return next((name for name in given if isinstance(name, str) and name), type(self._model).__name__)


def _sum(first: Usage | None, second: Usage) -> Usage:
    return second if first is None else (first[0] + second[0], first[1] + second[1])


def watched(kind: ModelKind, *names: str) -> Callable[[Any], Any]:
    """Replaces the `__getattribute__` of a class of models, each of which has these methods for itself: whoever looks
    one up gets it watched.
    """

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def getattribute(self: Any, name: str) -> Any:
            found = original(self, name)
            return kind.wrap(self, found) if name in names else found

        return getattribute

    return make


def tokens(report: Any, prompt: str, completion: str) -> Usage | None:
    """The tokens in a report, an object or a mapping, by the names that they have there; `None` if it names none."""
    get = report.get if isinstance(report, dict) else partial(getattr, report)
    if report is None:
        return None
    found = [get(name, None) for name in (prompt, completion)]
    counted = [count if isinstance(count, int) and count > 0 else 0 for count in found]
    return (counted[0], counted[1]) if any(counted) else None
