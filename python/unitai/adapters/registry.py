"""Which adapter runs which agent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType
from typing import Any

from unitai._engine import usual_adapter
from unitai.adapters.base import BaseAdapter
from unitai.adapters.discovery import offered
from unitai.adapters.frameworks import FRAMEWORKS
from unitai.adapters.generic import GenericAdapter
from unitai.errors import AdapterNotFoundError, shown

__all__ = ["choose", "load_offered", "register"]

#: Those that somebody registered, the newest first.
_registered: list[BaseAdapter] = []
#: Those of frameworks that were met, and of other distributions.
_loaded: dict[str, BaseAdapter] = {}
_generic = GenericAdapter()
#: Other names of adapters: one is the specification's, others those of extras and distributions. Dashes are no matter.
_SPELLINGS = {"langraph": "langgraph", "openai": "openai_agents"}
_are_offered_loaded = False
_loading = threading.RLock()


def register(adapter: BaseAdapter) -> None:
    """Adds an adapter. It is asked before those that were there, and takes the place of one with its name."""
    if not isinstance(adapter, BaseAdapter):
        raise TypeError(f"an adapter is an instance of BaseAdapter, not {shown(adapter)}")
    _registered[:] = [adapter, *(known for known in _registered if known.name != adapter.name)]


def choose(agent: Any, wanted: str | BaseAdapter | None) -> BaseAdapter:
    """The adapter that was asked for, or that the setting `adapter` names, or the first that can handle the agent."""
    if wanted is not None and isinstance(wanted, BaseAdapter):
        return wanted
    name = usual_adapter() if wanted is None else wanted
    if name is not None:
        return _named(name, agent, is_setting=wanted is None)
    if type(agent) is FunctionType and not _registered:
        # Most agents of most tests; nobody else runs functions.
        candidates: Iterator[BaseAdapter] = iter((_generic,))
    else:
        candidates = _candidates(agent)
    for adapter in candidates:
        if adapter.can_handle(agent):
            return adapter
    raise AdapterNotFoundError(
        f"no adapter knows how to run an agent of type {type(agent).__module__}.{type(agent).__qualname__}",
        expected=f"a function agent(input, tools), or an object that an adapter knows (adapters: {_names()})",
        found=shown(agent),
        remedy=(
            "pass a function agent(input, tools); or run it yourself: toolkit.run_generic(lambda: agent.execute(...)). "
            "No mock reaches its tools by name then: replace each where it is, toolkit.patch('package.module.tool', "
            "return_value=...), or hand the agent those of toolkit.as_dict()"
        ),
    )


def _named(name: str, agent: Any, *, is_setting: bool) -> BaseAdapter:
    whose = "the setting `adapter`, which `unitai config` shows with its place" if is_setting else None
    usual = _SPELLINGS.get(name, name.replace("-", "_"))
    for adapter in (*_registered, _generic):
        if adapter.name in (name, usual):
            return adapter
    if usual in FRAMEWORKS:
        adapter = _framework(usual)
        if adapter.can_handle(agent):
            return adapter
        raise AdapterNotFoundError(
            f"the adapter {usual} does not run agents of type {type(agent).__module__}.{type(agent).__qualname__}",
            expected=f"an instance of {' or '.join(sorted(adapter.handles))}",
            found=f"{shown(agent)}, and {whose}" if whose else shown(agent),
        )
    load_offered()
    for each in (name, usual):
        if each in _loaded:
            return _loaded[each]
    raise AdapterNotFoundError(
        f"there is no adapter named {name!r}",
        expected=f"one of: {_names()}",
        found=whose,
    )


def _candidates(agent: Any) -> Iterator[BaseAdapter]:
    yield from _registered
    for name, framework in FRAMEWORKS.items():
        # An agent of a framework cannot be there without it.
        if framework.package in sys.modules and name not in {adapter.name for adapter in _registered}:
            yield _framework(name)
    if type(agent) is not FunctionType:
        load_offered()
        yield from (adapter for name, adapter in _loaded.items() if name not in FRAMEWORKS)
    yield _generic


def _framework(name: str) -> BaseAdapter:
    if name not in _loaded:
        module, _, adapter = FRAMEWORKS[name].adapter.partition(":")
        _loaded[name] = getattr(import_module(module), adapter)()
    return _loaded[name]


def load_offered() -> None:
    """Loads the adapters of other distributions, once. A run must not begin before, without their redirects."""
    global _are_offered_loaded  # noqa: PLW0603
    if _are_offered_loaded:
        return
    with _loading:
        if not _are_offered_loaded:
            for name, adapter in offered():
                _loaded.setdefault(adapter.name or name, adapter)
            _are_offered_loaded = True


def _names() -> str:
    others = [name for name in _loaded if name not in FRAMEWORKS]
    return ", ".join(dict.fromkeys([*(adapter.name for adapter in _registered), *FRAMEWORKS, *others, _generic.name]))
