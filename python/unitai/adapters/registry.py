"""Which adapter runs which agent."""

from __future__ import annotations

from typing import Any

from unitai._engine import usual_adapter
from unitai.adapters.base import BaseAdapter
from unitai.adapters.generic import GenericAdapter
from unitai.errors import AdapterNotFoundError, shown

__all__ = ["choose", "register"]

_adapters: list[BaseAdapter] = [GenericAdapter()]


def register(adapter: BaseAdapter) -> None:
    """Adds an adapter. It is asked before those that were there, and takes the place of one with its name."""
    if not isinstance(adapter, BaseAdapter):
        raise TypeError(f"an adapter is an instance of BaseAdapter, not {shown(adapter)}")
    _adapters[:] = [adapter, *(known for known in _adapters if known.name != adapter.name)]


def choose(agent: Any, wanted: str | BaseAdapter | None) -> BaseAdapter:
    """The adapter that was asked for, or that the setting `adapter` names, or the first that can handle the agent."""
    if wanted is not None and isinstance(wanted, BaseAdapter):
        return wanted
    name = usual_adapter() if wanted is None else wanted
    if name is not None:
        for adapter in _adapters:
            if adapter.name == name:
                return adapter
        raise AdapterNotFoundError(
            f"there is no adapter named {name!r}",
            expected=f"one of: {_names()}",
            found="the setting `adapter`, which `unitai config` shows with its place" if wanted is None else None,
        )
    for adapter in _adapters:
        if adapter.can_handle(agent):
            return adapter
    raise AdapterNotFoundError(
        f"no adapter knows how to run an agent of type {type(agent).__module__}.{type(agent).__qualname__}",
        expected=f"a function agent(input, tools), or an object that an adapter knows (adapters: {_names()})",
        found=shown(agent),
        remedy=(
            "pass a function agent(input, tools); or wire the tools yourself: "
            "agent = MyAgent(tools=toolkit.as_dict()), then toolkit.run_generic(lambda: agent.execute(...))"
        ),
    )


def _names() -> str:
    return ", ".join(adapter.name for adapter in _adapters)
