"""Agents that are plain functions of an input and a dictionary of tools."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from unitai.adapters.base import BaseAdapter
from unitai.adapters.ports import Session

__all__ = ["GenericAdapter"]


class GenericAdapter(BaseAdapter):
    """Runs `agent(input, tools)`, sync or async: a function, a method or an object with `__call__`.

    >>> GenericAdapter().can_handle(lambda input, tools: "done")
    True
    """

    name = "generic"

    def can_handle(self, agent: Any) -> bool:
        return _call(agent) is not None

    def inject_mocks(self, agent: Any, session: Session) -> Callable[[Any], Any]:
        call = _call(agent)
        if call is None:
            # Asked for by name: let Python say what is wrong with the call itself.
            return lambda input: agent(input, session.tools)
        return lambda input: call(input, session.tools)

    def execute(self, wrapped_agent: Callable[[Any], Any], input: Any, timeout: float | None) -> Any:
        return wrapped_agent(input)

    def extract_tools(self, agent: Any) -> list[str]:
        return []


def _call(agent: Any) -> Callable[[Any, Any], Any] | None:
    """How to hand an agent its input and its tools; `None` if it takes no tools."""
    if not callable(agent) or isinstance(agent, type):
        return None
    try:
        parameters = signature(agent).parameters
    except (TypeError, ValueError):
        return None
    if "tools" in parameters and parameters["tools"].kind is not Parameter.POSITIONAL_ONLY:
        return lambda input, tools: agent(input, tools=tools)
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    places = [parameter for parameter in parameters.values() if parameter.kind in positional]
    needed = [parameter for parameter in places if parameter.default is Parameter.empty]
    return agent if len(needed) == 2 else None
