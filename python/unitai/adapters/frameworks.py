"""The frameworks that have an adapter: how each is known, and where its redirects go in.

A framework is never imported from here. What it calls its tools by is redirected while a run is under way, from the
moment the module that holds it is there: a tool in a closure, or in another framework's agent, is reached, too.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from unitai.traffic.door import add_hooks
from unitai.traffic.patches import Patch

__all__ = ["FRAMEWORKS", "Framework", "require"]


class Framework(NamedTuple):
    """A framework with an adapter."""

    #: The top module of the framework.
    package: str
    #: What runs its agents, as `module:Class`.
    adapter: str
    #: The modules whose classes call tools. `redirects(module)` of the adapter's module gives what to replace in each.
    modules: tuple[str, ...]


FRAMEWORKS: dict[str, Framework] = {
    "langgraph": Framework(
        "langgraph",
        "unitai.adapters.langgraph:LangGraphAdapter",
        (
            "langchain_core.tools.base",
            "langchain_core.tools.structured",
            "langgraph.prebuilt.tool_node",
            "langgraph.pregel.main",
        ),
    ),
}


def require(owner: Any, name: str, distribution: str) -> None:
    """Refuses a framework whose class lacks what is to be redirected: its real tools would run."""
    if hasattr(owner, name):
        return
    from importlib import metadata

    from unitai.errors import UnsupportedFrameworkError

    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        version = "of unknown version"
    where = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", str(owner))
    raise UnsupportedFrameworkError(
        f"{distribution} {version} has no {where}.{name}, so its tools cannot be mocked: real ones would run",
        remedy=f"update unitai, or install a release of {distribution} that this unitai knows: "
        f"see docs/frameworks, or `pip install unitai[...]`",
    )


def _hook(adapter: str) -> Any:
    def redirects(module: Any) -> list[Patch]:
        found: list[Patch] = import_module(adapter.partition(":")[0]).redirects(module)
        return found

    return redirects


add_hooks({name: _hook(framework.adapter) for framework in FRAMEWORKS.values() for name in framework.modules})
