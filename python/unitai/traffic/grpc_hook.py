"""The hook on gRPC. Its connections are opened by C code, where no guard on sockets sees them, and what goes over them
cannot be answered from memory: so each call is judged before it is made, as a connection would be.

It sits where a call begins, not where a channel is made: a client may have been made long before the run. All that goes
through `grpc.intercept_channel`, and all generated stubs, ends here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from unitai._engine import refuse_grpc_call
from unitai.traffic.patches import Patch, refusing, unsupported

#: The kinds of calls, as the names of classes begin or end.
_KINDS = ("UnaryUnary", "UnaryStream", "StreamUnary", "StreamStream")
_SEAM = "MultiCallable"
#: How a call begins.
_BEGINNINGS = ("__call__", "with_call", "future")

#: Where channels of `grpc.aio` lead, which they do not tell themselves in older versions.
_targets: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def patches(module: Any) -> list[Patch]:
    """What to replace in `grpc._channel`, or in `grpc.aio._channel`."""
    channel_class = getattr(module, "Channel", None)
    if channel_class is None:
        return []
    seams = [each for name, each in vars(module).items() if name.endswith(tuple(kind + _SEAM for kind in _KINDS))]
    if {kind for kind in _KINDS for seam in seams if kind in seam.__name__} != set(_KINDS):

        def refuse(channel: Any, target: Any, *_: Any, **__: Any) -> None:
            if refuse_grpc_call(_text(target), "") is not None:
                raise unsupported(module, f"{_SEAM} for each kind of calls")

        return [Patch(channel_class, "__init__", refusing(refuse))]
    calls = [Patch(seam, name, refusing(_refuse_call)) for seam in seams for name in _BEGINNINGS if name in vars(seam)]
    if hasattr(channel_class, "get_state"):
        return [
            *calls,
            Patch(channel_class, "__init__", _remembering),
            Patch(channel_class, "get_state", refusing(_refuse_connecting)),
        ]
    return [*calls, Patch(channel_class, "subscribe", refusing(_refuse_subscribing))]


def _refuse_call(call: Any, *_: Any, **__: Any) -> None:
    references = getattr(call, "_references", None)
    _judge(_target(call._channel, references[0] if references else None), call._method)


def _target(core: Any, channel: Any) -> Any:
    """Where a channel leads: what its core says, as a method or, where that is asynchronous, in newer versions."""
    target = getattr(core, "target", None)
    if target is None:
        return None if channel is None else _targets.get(channel)
    return target() if callable(target) else target


def _refuse_connecting(channel: Any, try_to_connect: bool = False) -> None:
    """An asynchronous channel is asked for its state, and may open its connection for that."""
    if try_to_connect:
        _judge(_target(channel._channel, channel), "")


def _refuse_subscribing(channel: Any, callback: Any, try_to_connect: bool | None = None) -> None:
    if try_to_connect:
        _judge(_target(channel._channel, channel), "")


def _judge(target: Any, method: Any) -> None:
    error = refuse_grpc_call(None if target is None else _text(target), _text(method))
    if error is not None:
        raise error


def _remembering(original: Callable[..., None]) -> Callable[..., None]:
    def init(channel: Any, target: Any, *args: Any, **options: Any) -> None:
        original(channel, target, *args, **options)
        _targets[channel] = _text(target)

    return init


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
