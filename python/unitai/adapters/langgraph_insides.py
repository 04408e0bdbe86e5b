"""Ways past the redirect of LangChain's tools: a class with its own way to be called, a method that was taken before
the run, and the function inside of a tool, `tool.func` or `tool._run`, that code calls itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction, signature
from typing import Any

from unitai.adapters.awaiting import awaited, waited
from unitai.adapters.langgraph_graphs import is_in_run
from unitai.adapters.langgraph_tools import base_tool, is_agent
from unitai.adapters.ports import Session, ToolCall
from unitai.adapters.real_call import is_part_of_real_call
from unitai.errors import UnmockedToolError

__all__ = ["arguments", "getattribute"]

#: How a tool is called.
_CALLS = frozenset({"run", "arun", "invoke", "ainvoke"})
#: What it calls then.
_INSIDES = frozenset({"_run", "_arun", "func", "coroutine"})
#: Those who look at a tool without calling past it, by the beginning of their modules' names.
_FRAMEWORK = ("langchain_core.", "langchain.", "langgraph.", "unitai.", "pydantic.", "inspect", "functools")
#: What the framework hands to a tool.
_INJECTED = ("config", "run_manager", "callbacks")


def getattribute(original: Callable[..., Any]) -> Callable[..., Any]:
    """A class of tools that brings its own way to be called is called as all others are, and so is what is inside."""

    def getattribute(self: Any, name: str) -> Any:
        found = original(self, name)
        if name in _INSIDES:
            return _inside(self, name, found, sys._getframe(1).f_globals.get("__name__", ""))
        if name not in _CALLS:
            return found
        base = base_tool(self)
        owner = next(each for each in type(self).__mro__ if name in each.__dict__)
        if owner is base or owner.__module__.startswith("langchain_core.") or not is_in_run():
            return found
        session = Session.here()
        may_run = session is not None and session.stance(original(self, "name")) == "allowed"
        return found if may_run else getattr(base, name).__get__(self)

    return getattribute


def _inside(tool: Any, name: str, real: Any, reader: str) -> Any:
    """The function inside of a tool, for whoever reads it: for code that would call it, one that asks the mock."""
    is_ours = "_run" in tool.__dict__
    if real is None or is_ours or reader.startswith(_FRAMEWORK):
        return real

    # Whoever reads it may work for no run, or in a thread that could work for several. The call decides.
    def answer(args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        session = Session.here()
        if session is None or is_part_of_real_call(session.run_id, tool.name):
            return real(*args, **options)
        given = _arguments(tool, name, real, args, options)
        call = ToolCall(tool.name, tool._filter_injected_args(given), is_agent=is_agent(tool))
        return session.answer(call, lambda: real(*args, **options))

    if name == "_arun" or iscoroutinefunction(real):

        @wraps(real)
        async def acall(*args: Any, **options: Any) -> Any:
            return await awaited(answer(args, options))

        return acall

    @wraps(real)
    def call(*args: Any, **options: Any) -> Any:
        return waited(answer(args, options))

    return call


def _arguments(
    tool: Any, name: str, real: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by their names, without what is the framework's."""
    # Methods of the framework's own take anything, and hand it on.
    inner = (tool.__dict__.get("func") or tool.__dict__.get("coroutine")) if name.startswith("_") else None
    shape = signature(inner or real)
    if inner is not None:
        given = {each: value for each, value in options.items() if each not in _INJECTED}
        options = {**{each: None for each in _INJECTED if each in shape.parameters}, **given}
    bound = dict(shape.bind(*args, **options).arguments)
    for each in shape.parameters.values():
        if each.kind is each.VAR_KEYWORD:
            bound.update(bound.pop(each.name, {}))
    return {each: value for each, value in bound.items() if each not in _INJECTED}


def arguments(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where arguments are checked, in each call. One that comes here by a method that was taken before the run, and so
    past the mock, is refused.
    """

    def to_args_and_kwargs(self: Any, *args: Any, **options: Any) -> Any:
        session = None if "_run" in self.__dict__ else Session.here()
        if session is not None:
            error = UnmockedToolError(
                f"{self.name} was called by a method that was taken from the tool before the run, past its mock",
                remedy=f"call it as a tool: {self.name}.invoke(...)",
            )
            session.fail(error)
            raise error
        return original(self, *args, **options)

    return to_args_and_kwargs
