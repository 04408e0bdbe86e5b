"""Replacing attributes of other people's classes, and taking the replacements back without trace."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

_MISSING: Any = object()


class Patch(NamedTuple):
    """One attribute to replace. `make` gets what stands there now and gives what stands in for it."""

    owner: Any
    name: str
    make: Callable[[Any], Any]


class Patches:
    """What is replaced at the moment, in order."""

    def __init__(self) -> None:
        self._applied: list[tuple[Any, str, Any, Any]] = []

    def apply(self, patch: Patch) -> None:
        """Replaces the attribute, unless ours already stands there."""
        owner, name, make = patch
        own = owner.__dict__.get(name, _MISSING)
        for applied in self._applied:
            if applied[3] is own:
                return
        if type(own) is FunctionType and "_unitai_own" in own.__dict__:
            # Ours of an earlier time: somebody patched over it, and put it back when we were gone.
            own = own.__dict__["_unitai_own"]
            if own is _MISSING:
                delattr(owner, name)
        # An inherited attribute is called all the same, but goes back to being inherited.
        original = getattr(owner, name) if own is _MISSING else own
        if isinstance(owner, type) and not hasattr(type(original), "__get__"):
            original = _without_self(original)
        ours = make(original)
        ours._unitai_own = own
        setattr(owner, name, ours)
        self._applied.append((owner, name, own, ours))

    def undo(self) -> None:
        """Puts back what was there. Where somebody patched after us, theirs stays: it still leads to ours,
        which then changes nothing.
        """
        while self._applied:
            owner, name, own, ours = self._applied.pop()
            if owner.__dict__.get(name) is not ours:
                continue
            if own is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, own)


def _without_self(original: Any) -> Any:
    """A mock that stands for a method is called without the object."""

    def call(_: Any, *args: Any, **options: Any) -> Any:
        return original(*args, **options)

    return call


def refusing(refuse: Callable[..., None]) -> Callable[[Any], Any]:
    """For a library without the seam that a hook needs: `refuse` gets the call before it goes on."""

    def make(original: Any) -> Any:
        def guarded(*args: Any, **options: Any) -> Any:
            refuse(*args, **options)
            return original(*args, **options)

        return guarded

    return make


def unsupported(module: Any, missing: str) -> Exception:
    """The error for a client library whose inside is not what the hook was written for."""
    from importlib import metadata

    from unitai.errors import UnsupportedClientError

    package = module.__name__.partition(".")[0]
    package = "grpcio" if package == "grpc" else package
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        version = getattr(module, "__version__", "of unknown version")
    return UnsupportedClientError(
        f"{package} {version} has no {missing}, so model calls through it can be neither answered nor watched",
        remedy=f"update unitai, or install a release of {package} that this unitai knows",
    )
