"""Agents that are plain functions of an input and a dictionary of tools, or of an input alone."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from unitai.adapters.base import BaseAdapter
from unitai.adapters.ports import Session
from unitai.errors import AdapterNotFoundError, shown

__all__ = ["GenericAdapter"]


class GenericAdapter(BaseAdapter):
    """Runs `agent(input, tools)`, sync or async: a function, a method or an object with `__call__`. One that takes its
    input alone is run where its tools were replaced by `toolkit.patch(...)`.

    >>> GenericAdapter().can_handle(lambda input, tools: "done")
    True
    """

    name = "generic"

    def can_handle(self, agent: Any) -> bool:
        shape = _shape(agent)
        return shape is not None and (shape[0] or shape[1] in (1, 2))

    def inject_mocks(self, agent: Any, session: Session) -> Callable[[Any], Any]:
        call = _call(agent)
        if call is None and session.has_patches:
            return agent  # type: ignore[no-any-return]
        if call is None and self.can_handle(agent):
            raise AdapterNotFoundError(
                f"{shown(agent)} takes an input and no tools, so none of them would be mocked",
                expected="a function agent(input, tools)",
                remedy=(
                    "replace the functions that are its tools: "
                    'toolkit.patch("package.module.function", return_value=...); '
                    "or run it as it is, toolkit.run_generic(lambda: agent(...)), with the tools of toolkit.as_dict()"
                ),
            )
        tools = session.tools
        if call is None:
            # Asked for by name: let Python say what is wrong with the call itself.
            return lambda input: agent(input, tools)
        return lambda input: call(input, tools)

    def execute(self, wrapped_agent: Callable[[Any], Any], input: Any, timeout: float | None) -> Any:
        return wrapped_agent(input)

    def extract_tools(self, agent: Any) -> list[str]:
        return []


def _call(agent: Any) -> Callable[[Any, Any], Any] | None:
    """How to hand an agent its input and its tools; `None` if it takes no tools."""
    shape = _shape(agent)
    if shape is None:
        return None
    takes_tools, needed = shape
    if takes_tools:
        return lambda input, tools: agent(input, tools=tools)
    return agent if needed == 2 else None


def _shape(agent: Any) -> tuple[bool, int] | None:
    """Whether an agent takes `tools` by name, and how many positional arguments it needs; `None` if it is none."""
    if type(agent) is FunctionType and not agent.__dict__:
        # A plain function says it itself; asking `inspect` would cost more than the rest of a short run.
        code = agent.__code__
        places = code.co_varnames[: code.co_argcount]
        named = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
        return "tools" in named, len(places) - len(agent.__defaults__ or ())
    if not callable(agent) or isinstance(agent, type):
        return None
    try:
        parameters = signature(agent).parameters
    except (TypeError, ValueError):
        return None
    if "tools" in parameters and parameters["tools"].kind is not Parameter.POSITIONAL_ONLY:
        return True, 0
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in parameters.values() if each.kind in positional and each.default is Parameter.empty]
    return False, len(needed)
