"""What a method takes, as a JSON schema: read from its type hints."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def input_schema(method: Callable[..., Any]) -> dict[str, Any]:
    """The schema of a method's arguments. Who has no default is required.

    >>> def zoom(factor: float, mode: str | None = None): ...
    >>> input_schema(zoom)["required"]
    ['factor']
    """
    properties: dict[str, Any] = {}
    required = []
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        properties[parameter.name] = schema_of(resolved(parameter.annotation, method, str))
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, (str, int, float)):
            properties[parameter.name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required}


def schema_of(hint: Any) -> dict[str, Any]:
    """The schema of one type. What JSON has no word for is a text."""
    if isinstance(hint, type) and hint in _TYPES:
        return {"type": _TYPES[hint]}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return schema_of(parts[0])
    if origin in (typing.Union, types.UnionType):
        inner = [part for part in parts if part is not type(None)]
        return schema_of(inner[0]) if len(inner) == 1 else {"type": "string"}
    if origin is list:
        return {"type": "array", "items": schema_of(parts[0])}
    if origin is typing.Literal:
        return _choice(parts)
    return {"type": "object" if origin is dict else "string"}


def _choice(values: tuple[Any, ...]) -> dict[str, Any]:
    kinds = {_TYPES.get(type(value)) for value in values if value is not None}
    (kind,) = kinds if len(kinds) == 1 else (None,)
    return {"enum": list(values)} if kind is None else {"type": kind, "enum": list(values)}


def resolved(annotation: Any, owner: Any, unknown: Any) -> Any:
    """The type that an annotation of a function or a class names; `unknown` where it names nothing. One alone: a name
    that is not there must not cost the others theirs.
    """
    if annotation is inspect.Parameter.empty:
        return unknown
    if not isinstance(annotation, str):
        return annotation
    function = inspect.unwrap(getattr(owner, "__func__", owner))
    names = getattr(function, "__globals__", None) or vars(sys.modules.get(function.__module__, types))
    try:
        return eval(annotation, names)
    except Exception:
        return unknown
