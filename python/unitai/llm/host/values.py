"""What a tool gave, as JSON can say it."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import traceback
from collections.abc import Mapping
from typing import Any

#: Where our own code lives, and the import machinery: what stands before a plugin in a traceback.
_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_STDLIB = f"{os.sep}importlib{os.sep}"

#: Levels of nesting. Readers of JSON have a limit of their own, and a list may hold itself.
_DEEPEST = 100


def result(value: Any) -> dict[str, Any]:
    """The answer of a tool. A mapping is its own structure; any other value stands in `result`, for MCP wants an object
    there, and by itself in `_meta`, for the test wants the value.
    """
    told = plain(value)
    text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    answer: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
    if isinstance(told, dict):
        answer["structuredContent"] = told
    else:
        answer["structuredContent"] = {"result": told}
        answer["_meta"] = {"unitai/value": told}
    return answer


def failure(error: BaseException) -> dict[str, Any]:
    """The answer of a tool that raised."""
    return {
        "content": [{"type": "text", "text": legal(headline(error))}],
        "isError": True,
        "_meta": {"unitai/traceback": legal(trace(error))},
    }


def headline(error: BaseException) -> str:
    """Its class and what it says."""
    text = _text(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def trace(error: BaseException) -> str:
    """Its traceback, from the first line of the plugin on: how we came there says nothing."""
    told = traceback.TracebackException.from_exception(error)
    is_ours = [frame.filename.startswith((_HERE, "<frozen")) or _STDLIB in frame.filename for frame in told.stack]
    if False not in is_ours:
        return "".join(told.format_exception_only()).rstrip()
    del told.stack[: is_ours.index(False)]
    return "".join(told.format()).rstrip()


def plain(value: Any, level: int = 0) -> Any:
    """The value in JSON's own types; what these cannot say is its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return legal(str.__str__(value))
    if isinstance(value, (int, float)):
        # The bare number of an enumeration.
        number = int(value) if isinstance(value, int) else float(value)
        return number if isinstance(number, int) or math.isfinite(number) else str(number)
    if level < _DEEPEST:
        inner = _parts(value)
        if isinstance(inner, dict):
            return {_key(key): plain(it, level + 1) for key, it in inner.items()}
        if inner is not None:
            return [plain(it, level + 1) for it in inner]
    return legal(_text(value))


def _parts(value: Any) -> dict[Any, Any] | list[Any] | None:
    """What a value consists of, if it consists of parts."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        # In one order, or two runs of a test would differ.
        return sorted(value, key=lambda it: (type(it).__name__, _text(it)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, dict) else None


def _key(key: Any) -> str:
    """A key of a mapping: JSON has only texts."""
    if isinstance(key, str):
        return legal(str.__str__(key))
    if key is None or isinstance(key, (bool, int)):
        return json.dumps(key)
    return legal(_text(key))


def _text(value: Any) -> str:
    try:
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (bytes, bytearray)):
            return bytes(value).decode(errors="backslashreplace")
        return str(value)
    except Exception:
        return f"<{type(value).__name__} whose str() raised>"


def legal(text: str) -> str:
    """The text with a mark in the place of each half of a character, which no reader of JSON takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
