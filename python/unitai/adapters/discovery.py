"""Adapters that other distributions offer, by the entry point `unitai.adapters`.

They are looked for before the first run of a process, whatever is run: a plain function may have an agent of such a
framework inside, whose tools are redirected from the moment the adapter is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

from unitai.adapters.base import BaseAdapter
from unitai.errors import UnsupportedFrameworkError, shown

__all__ = ["offered"]

_GROUP = "unitai.adapters"


def offered() -> Iterator[tuple[str, BaseAdapter]]:
    """Each adapter that is installed, with the name of its entry point."""
    if not _may_be_offered():
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group=_GROUP):
        try:
            made = entry.load()
            adapter = made() if isinstance(made, type) else made
        except Exception as error:
            raise UnsupportedFrameworkError(
                f"the adapter {entry.name} = {entry.value} cannot be loaded: real tools of its framework would run",
                found=f"{type(error).__name__}: {error}",
                remedy="install what it needs; or uninstall the distribution that offers it",
            ) from error
        if not isinstance(adapter, BaseAdapter):
            raise TypeError(f"the entry point {entry.name} = {entry.value} is no BaseAdapter, but {shown(adapter)}")
        yield entry.name, adapter


def _may_be_offered() -> bool:
    """Whether a distribution may have the entry point. To ask for it is slow where many of them are installed, 16 ms
    for 137, and mostly in vain: their files say so in a tenth of the time.
    """
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return True
    return any(map(_is_named_in, sys.path))


def _is_named_in(place: str) -> bool:
    try:
        with os.scandir(place or ".") as found:
            return any(
                _is_named_by(entry.path) for entry in found if entry.name.endswith((".dist-info", ".egg-info", ".egg"))
            )
    except NotADirectoryError:
        # Distributions may be in an archive.
        return True
    except OSError:
        return False


def _is_named_by(distribution: str) -> bool:
    for inside in ("entry_points.txt", "EGG-INFO/entry_points.txt"):
        try:
            with open(os.path.join(distribution, inside), "rb") as file:
                return _GROUP.encode() in file.read()
        except OSError:
            continue
    return False
