"""Opening and closing the door: hooks on the HTTP clients that model SDKs use, and on whatever else was added, there
while somebody needs them.

Every mocked run opens it, so opening and closing must cost next to nothing; and a program that was
tested with it must not be able to tell afterwards.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from unitai._engine import note_fork
from unitai.traffic import aiohttp_hook, credentials, grpc_hook, httpx_hook, urllib3_hook
from unitai.traffic.patches import Patch, Patches

#: The modules, and what the hook of each replaces.
_HOOKS: dict[str, Callable[[Any], list[Patch]]] = {
    "httpx": httpx_hook.patches,
    "httpx2": httpx_hook.patches,
    "urllib3": urllib3_hook.patches,
    "aiohttp": aiohttp_hook.patches,
    "grpc._channel": grpc_hook.patches,
    "grpc.aio._channel": grpc_hook.patches,
    "botocore.credentials": credentials.botocore_credentials,
    "botocore.signers": credentials.botocore_signers,
    "google.auth._default": credentials.google_default,
}

_lock = threading.Lock()
_opened = 0
_pinned_by: list[Any] = []
_patches = Patches()
#: What to replace in a module, worked out once. Under its name, with the module it was worked out for.
_known: dict[str, tuple[Any, list[Patch]]] = {}

#: The locks of modules that some thread is importing at this moment.
_imports_under_way: dict[str, Any] = getattr(importlib._bootstrap, "_module_locks", {})


def add_hooks(hooks: Mapping[str, Callable[[Any], list[Patch]]]) -> None:
    """Adds modules to those that are looked after. The door may be open already."""
    with _lock:
        _HOOKS.update(hooks)
        unfinished = _install(hooks) if _opened else []
    _finish(unfinished)


def open_door() -> None:
    """Installs the hooks, unless they are there. Each call needs one `close_door`."""
    global _opened  # noqa: PLW0603
    with _lock:
        _opened += 1
        if _opened > 1:
            return
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        # Mostly none of them is there, which is known at once.
        if not _imports_under_way and _HOOKS.keys().isdisjoint(sys.modules.keys()):
            return
        try:
            unfinished = _install(_HOOKS)
        except BaseException:
            _opened = 0
            _remove()
            raise
    _finish(unfinished)


def _install(names: Iterable[str]) -> list[str]:
    """Installs the hooks of the modules that are there; gives those that are being imported. Only under the lock."""
    unfinished = []
    for name in names:
        module = sys.modules.get(name)
        if name in _imports_under_way if module is None else not _patch(name, module):
            unfinished.append(name)
    return unfinished


def _finish(unfinished: Iterable[str]) -> None:
    """Waits for imports of other threads. Not under the lock: such an import may need it."""
    for name in unfinished:
        try:
            _arrived(name, importlib.import_module(name))
        except ImportError:
            pass  # Then nobody can use it.


def close_door() -> None:
    """Takes the hooks back when nobody needs them any more."""
    global _opened  # noqa: PLW0603
    with _lock:
        if _opened > 0:
            _opened -= 1
        if _pinned_by:
            _pinned_by[:] = [each for each in _pinned_by if each.is_alive()]
        if _opened == 0 and not _pinned_by:
            _remove()


def pin_door(lingering: Sequence[Any]) -> None:
    """Keeps the door open while these are alive, for they could not be stopped and may still call models and tools."""
    with _lock:
        _pinned_by.extend(lingering)


def _remove() -> None:
    _patches.undo()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _patch(name: str, module: Any, *, is_complete: bool = False) -> bool:
    """Installs the hook of a module, if its import is complete; says whether. Only under the lock."""
    known = _known.get(name)
    if known is None or known[0] is not module:
        spec = getattr(module, "__spec__", None)
        if not is_complete and getattr(spec, "_initializing", False):
            return False
        known = (module, _HOOKS[name](module))
        if known[1]:
            _known[name] = known
    for patch in known[1]:
        _patches.apply(patch)
    return True


def _arrived(name: str, module: Any) -> None:
    """A module was imported while the door is open."""
    with _lock:
        _known.pop(name, None)
        if _opened > 0:
            _patch(name, module, is_complete=True)


class _Finder:
    """Notices the import of such a module: SDKs are often loaded inside of a run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _HOOKS or _opened == 0:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if finder is self or find is None else find(fullname, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, _Loader):
                    spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Loads as the loader that it stands for, which is put back at once, and then installs the hook."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _arrived(module.__name__, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_finder: Any = _Finder()


def _forked() -> None:
    """In a forked child, the thread that held the lock does not exist, and the records of runs are the parent's."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()
    note_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
