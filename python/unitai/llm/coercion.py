"""Arguments of plugins: what a file says becomes what an annotation asks for, or is refused."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import pathlib
import types
import typing
import uuid
from collections.abc import Callable
from typing import Any

from unitai.errors import shown
from unitai.llm.schemas import resolved

#: The texts that stand for yes and no.
_BOOLS = {
    **dict.fromkeys(("true", "yes", "on", "t", "y", "1"), True),
    **dict.fromkeys(("false", "no", "off", "f", "n", "0"), False),
}
#: What has a text as its form in files, and how it is read from there.
_FROM_TEXT: dict[type, tuple[str, Callable[[str], Any]]] = {
    datetime.datetime: ("a date with its time", lambda text: datetime.datetime.fromisoformat(_offset(text))),
    datetime.date: ("a date", datetime.date.fromisoformat),
    datetime.time: ("a time", lambda text: datetime.time.fromisoformat(_offset(text))),
    uuid.UUID: ("a UUID", uuid.UUID),
    pathlib.Path: ("a path", pathlib.Path),
}


class MisfitError(Exception):
    """A value is not what an annotation asks for; the text says what it asks for."""


def coerced(method: Callable[..., Any], args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the annotations of a method ask for them. Raises `TypeError` for one that does not fit.

    >>> def zoom(factor: float, times: int = 1): ...
    >>> coerced(zoom, {"factor": "0.5", "times": 2.0})
    {'factor': 0.5, 'times': 2}
    """
    made = dict(args)
    for parameter in inspect.signature(method).parameters.values():
        if parameter.name not in args or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        value = args[parameter.name]
        # A default that the annotation does not allow is allowed by itself: `mode: str = None`.
        if value is None and parameter.default is None:
            continue
        try:
            made[parameter.name] = _fitted(value, resolved(parameter.annotation, method, Any))
        except MisfitError as misfit:
            raise TypeError(
                f"{method.__name__} cannot take `{parameter.name}`: expected {misfit}, found {shown(value)}"
            ) from None
    return made


def _fitted(value: Any, hint: Any) -> Any:
    """The value as a type asks for it. What is unknown here is handed on as it is."""
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    kind = typing.get_origin(hint) or hint
    read = _READERS.get(kind) if isinstance(kind, collections.abc.Hashable) else None
    if read is not None:
        return read(value, typing.get_args(hint))
    if kind is Any or not isinstance(kind, type):
        return value
    # A mapping with known keys is one like any other.
    return _mapping(value) if typing.is_typeddict(kind) else _instance(value, kind)


def _one_of(value: Any, hints: tuple[Any, ...]) -> Any:
    """The first of several types that fits: as it is before anything is made of the value."""
    told: list[str] = []
    for hint in hints:
        try:
            fitted = _fitted(value, hint)
        except MisfitError:
            continue
        if type(fitted) is type(value) and fitted == value:
            return fitted
    for hint in hints:
        try:
            return _fitted(value, hint)
        except MisfitError as misfit:
            told.append(str(misfit))
    return _refuse(" or ".join(dict.fromkeys(told)))


def _choice(value: Any, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    return _refuse(f"one of {', '.join(map(repr, choices))}")


def _int(value: Any) -> int:
    number = _number(value)
    if isinstance(number, int) or (isinstance(number, float) and number.is_integer()):
        return int(number)
    return _refuse("a whole number")


def _float(value: Any) -> float:
    number = _number(value)
    return _refuse("a number") if number is None else float(number)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        for read in (int, float):
            try:
                return read(value)
            except ValueError:
                continue
        return None
    return value if isinstance(value, (int, float)) else None


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    said = str(int(value)) if isinstance(value, (int, float)) and value in (0, 1) else value
    known = _BOOLS.get(said.lower()) if isinstance(said, str) else None
    return _refuse("true or false") if known is None else known


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    # A reference that stands alone keeps its type, and what it names is often the number of something.
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json.dumps(value)
    return _refuse("a text")


def _decimal(value: Any) -> decimal.Decimal:
    number = _number(value)
    return _refuse("a number") if number is None else decimal.Decimal(str(value).strip())


def _list(value: Any) -> list[Any]:
    """A list; also one that is written as JSON in a text, as models like to."""
    value = _parsed(value)
    return list(value) if isinstance(value, (list, tuple)) else _refuse("a list")


def _tuple(value: Any, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    items = _list(value)
    if not parts:
        return tuple(items)
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(_fitted(item, parts[0]) for item in items)
    if len(items) != len(parts):
        return _refuse(f"a list of {len(parts)} elements")
    return tuple(map(_fitted, items, parts))


def _mapping(value: Any) -> dict[Any, Any]:
    value = _parsed(value)
    return dict(value) if isinstance(value, collections.abc.Mapping) else _refuse("a mapping")


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _items(value: Any, parts: tuple[Any, ...]) -> list[Any]:
    return [_fitted(item, parts[0]) if parts else item for item in _list(value)]


def _entries(value: Any, parts: tuple[Any, ...]) -> dict[Any, Any]:
    inner = _mapping(value)
    return {_fitted(key, parts[0]): _fitted(it, parts[1]) for key, it in inner.items()} if parts else inner


def _null(value: Any) -> None:
    return None if value is None else _refuse("null")


def _alone(read: Callable[[Any], Any]) -> Callable[[Any, tuple[Any, ...]], Any]:
    """A reader of a type that has no parts."""
    return lambda value, _: read(value)


#: How a value is read as each type, given the parts of the type: those in brackets.
_READERS: dict[Any, Callable[[Any, tuple[Any, ...]], Any]] = {
    None: _alone(_null),
    type(None): _alone(_null),
    bool: _alone(_bool),
    int: _alone(_int),
    float: _alone(_float),
    str: _alone(_text),
    decimal.Decimal: _alone(_decimal),
    typing.Annotated: lambda value, parts: _fitted(value, parts[0]),
    typing.Union: _one_of,
    types.UnionType: _one_of,
    typing.Literal: _choice,
    list: _items,
    collections.abc.Sequence: _items,
    collections.abc.Iterable: _items,
    collections.abc.Collection: _items,
    set: lambda value, parts: set(_items(value, parts)),
    frozenset: lambda value, parts: frozenset(_items(value, parts)),
    tuple: _tuple,
    dict: _entries,
    collections.abc.Mapping: _entries,
    collections.abc.MutableMapping: _entries,
}


def _instance(value: Any, kind: type) -> Any:
    """An instance of a class that files can describe. Any other class says nothing about files."""
    if isinstance(value, kind):
        return value
    for describes, read in _INSTANCES:
        if describes(kind):
            return read(value, kind)
    return value


def _member(value: Any, kind: Any) -> Any:
    """A member of an enumeration, by its value."""
    for member in kind:
        if type(member.value) is type(value) and member.value == value:
            return member
    return _refuse(f"one of {', '.join(repr(member.value) for member in kind)}")


def _from_text(value: Any, kind: type) -> Any:
    what, read = _FROM_TEXT[kind]
    try:
        return read(value) if isinstance(value, str) else _refuse(what)
    except ValueError:
        return _refuse(what)


def _dataclass(value: Any, kind: Any) -> Any:
    hints = {field.name: resolved(field.type, kind, Any) for field in dataclasses.fields(kind) if field.init}
    fields = {name: _fitted(it, hints.get(name, Any)) for name, it in _mapping(value).items()}
    try:
        return kind(**fields)
    except TypeError as error:
        return _refuse(f"the fields of {kind.__name__} ({error})")


def _model(value: Any, kind: Any) -> Any:
    """A model of pydantic, or what is made as they are."""
    try:
        return kind.model_validate(_mapping(value))
    except ValueError as error:
        return _refuse(f"what makes a {kind.__name__} ({error})")


#: Which classes files can describe, and how an instance is read.
_INSTANCES: tuple[tuple[Callable[[type], bool], Callable[[Any, Any], Any]], ...] = (
    (lambda kind: issubclass(kind, enum.Enum), _member),
    (lambda kind: kind in _FROM_TEXT, _from_text),
    (dataclasses.is_dataclass, _dataclass),
    (lambda kind: callable(getattr(kind, "model_validate", None)), _model),
)


def _offset(text: str) -> str:
    """The text with a `Z` in the form that Python 3.10 reads, too."""
    return f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text


def _refuse(expected: str) -> typing.NoReturn:
    raise MisfitError(expected)
