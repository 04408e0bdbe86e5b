"""Who holds an object whose inside cannot be replaced: a function of C, or one that `functools.lru_cache` made.

It is replaced wherever it is held. Where that cannot be done, as in a tuple, the run is refused before it begins: the
agent may have it from there.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from types import AsyncGeneratorType, CellType, CoroutineType, FrameType, GeneratorType
from typing import Any, NamedTuple

from unitai.errors import InvalidArgumentError
from unitai.mock.tool_objects import ToolFunction

__all__ = ["Holders"]


class _Place(NamedTuple):
    """A place that holds the object: an item of a dictionary or a list, an attribute of a class, a closure's cell."""

    holder: Any
    key: Any
    #: What it holds: the object itself, or a static method around it.
    held: Any

    def read(self) -> Any:
        if isinstance(self.holder, CellType):
            return self.holder.cell_contents
        return (self.holder.__dict__ if isinstance(self.holder, type) else self.holder)[self.key]

    def write(self, value: Any) -> None:
        if isinstance(self.holder, (CellType, type)):
            # A class must hear of it, and its dictionary may not be written.
            setattr(self.holder, self.key, value)
        else:
            self.holder[self.key] = value


#: What runs already goes on with what it has; and these are ours.
_LEFT_ALONE = (FrameType, GeneratorType, CoroutineType, AsyncGeneratorType, ToolFunction, _Place)


class Holders:
    """The places that hold an object, while another is held there. `make` makes the other, when all are found."""

    def __init__(self, path: str, look_up: Callable[[], Any], make: Callable[[], Callable[..., Any]]) -> None:
        """`look_up` gives what the path leads to: the object, or a static method around it. Handed over itself, it
        would be held by the arguments.
        """
        # Nobody is shown what has been frozen. It costs the collector some time to have it back, and nothing else.
        gc.unfreeze()
        original = look_up()
        is_static = isinstance(original, staticmethod)
        held = original.__func__ if is_static else original
        places = list(_places(path, held, [original]))
        if is_static:
            places += _places(path, original, [])
        stand_in = make()
        self._replaced: list[tuple[_Place, Any]] = []
        for place in places:
            # In a class, a function would be handed the object, which what it stands for is not.
            is_bound = not isinstance(place.holder, type) or (place.held is held and hasattr(type(held), "__get__"))
            ours = stand_in if is_bound else staticmethod(stand_in)
            place.write(ours)
            self._replaced.append((place, ours))

    def undo(self) -> None:
        """Puts the object back, unless somebody put another there meanwhile."""
        for place, ours in self._replaced:
            try:
                is_ours = place.read() is ours
            except (LookupError, ValueError):
                continue
            if is_ours:
                place.write(place.held)


def _places(path: str, held: Any, others: list[Any]) -> Iterator[_Place]:
    """Where an object is held. `others` hold it, too, and are looked for by themselves."""
    for holder in gc.get_referrers(held):
        if isinstance(holder, _LEFT_ALONE) or holder is others or any(holder is other for other in others):
            continue
        found = list(_places_in(holder, held))
        if not found:
            kind = type(held)
            raise InvalidArgumentError(
                f"{path} is held by {_described(holder)}, where no mock can take its place",
                found=f"an object of {kind.__module__}.{kind.__qualname__}, whose calls cannot be redirected",
                remedy=(
                    f"write a function around it, hand that one to the agent, and patch it: "
                    f"def call(*args, **options): return {path.rpartition('.')[2]}(*args, **options)"
                ),
            )
        yield from found


def _places_in(holder: Any, held: Any) -> Iterator[_Place]:
    if isinstance(holder, CellType):
        yield _Place(holder, "cell_contents", held)
        return
    if isinstance(holder, list):
        yield from [_Place(holder, at, held) for at, each in enumerate(holder) if each is held]
        return
    # Python 3.11 and later keep an object's attributes without a dictionary, until it is asked for.
    items = holder if isinstance(holder, dict) else getattr(holder, "__dict__", None)
    if not isinstance(items, dict):
        return
    owner = _class_with(items) if "__module__" in items else None
    yield from [_Place(owner or items, name, held) for name, each in list(items.items()) if each is held]


def _class_with(namespace: dict[str, Any]) -> type | None:
    """The class whose attributes these are."""
    for holder in gc.get_referrers(namespace):
        if isinstance(holder, type) and any(each is namespace for each in gc.get_referents(holder)):
            return holder
    return None


def _described(holder: Any) -> str:
    kind = type(holder)
    article = "an" if kind.__name__[0].lower() in "aeiou" else "a"
    return f"{article} {kind.__name__}"
