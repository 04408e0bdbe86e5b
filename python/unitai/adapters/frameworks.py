"""The frameworks that have an adapter, and clients of MCP servers: how each is known, and where its redirects go in.

A framework is never imported from here. What it calls its tools by is redirected while a run is under way, from the
moment the module that holds it is there: a tool in a closure, or in another framework's agent, is reached, too.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from unitai.traffic.door import add_hooks
from unitai.traffic.patches import Patch

__all__ = ["CLIENTS", "FRAMEWORKS", "Framework", "require"]


class Framework(NamedTuple):
    """A framework with an adapter."""

    #: The top module of the framework, and the distribution that brings it.
    package: str
    distribution: str
    #: What runs its agents, as `module:Class`; the module alone, where there are no agents to run.
    adapter: str
    #: The modules whose classes call tools. `redirects(module)` of the adapter's module gives what to replace in each.
    modules: tuple[str, ...]
    #: Those of them that a release may lack: no tool runs through them there.
    optional: frozenset[str] = frozenset()
    #: A module inside of it that tells it from a folder of a project which has the same name.
    known_by: str | None = None


FRAMEWORKS: dict[str, Framework] = {
    "langgraph": Framework(
        "langgraph",
        "langgraph",
        "unitai.adapters.langgraph:LangGraphAdapter",
        (
            "langchain_core.tools.base",
            "langchain_core.tools.structured",
            "langchain_core.tools.simple",
            "langchain_core.language_models.chat_models",
            "langchain_core.language_models.llms",
            "langsmith.utils",
            "langgraph.prebuilt.tool_node",
            "langgraph.pregel.main",
            "langgraph.pregel._runner",
            "langgraph.pregel._loop",
            "langgraph.pregel.remote",
        ),
        known_by="prebuilt",
    ),
    "openai_agents": Framework(
        "agents",
        "openai-agents",
        "unitai.adapters.openai_agents:OpenAIAgentsAdapter",
        (
            "agents.items",
            "agents.models.interface",
            "agents.tool",
            "agents.run_internal.tool_execution",
            "agents.run_internal.tool_actions",
            "agents.run_internal.turn_resolution",
            "agents.run_internal.run_loop",
            "agents.run",
            "agents.realtime.session",
            "agents.tracing.processors",
        ),
        known_by="function_schema",
    ),
    "crewai": Framework(
        "crewai",
        "crewai",
        "unitai.adapters.crewai:CrewAIAdapter",
        (
            "crewai.tools.base_tool",
            "crewai.llms.base_llm",
            "crewai.llm",
            "crewai.tools.structured_tool",
            "crewai.agents.agent_executor",
            "crewai.agents.crew_agent_executor",
            "crewai.experimental.agent_executor",
            "crewai.agents.step_executor",
            "crewai.lite_agent",
            "crewai.events.event_bus",
            "crewai.agents.cache.cache_handler",
            "crewai.telemetry.telemetry",
            "crewai.utilities.task_output_storage_handler",
        ),
        # Releases differ in where their executors are; the tools themselves are always where they were.
        optional=frozenset(
            {
                "crewai.agents.agent_executor",
                "crewai.agents.crew_agent_executor",
                "crewai.experimental.agent_executor",
                "crewai.agents.step_executor",
            }
        ),
    ),
    "semantic_kernel": Framework(
        "semantic_kernel",
        "semantic-kernel",
        "unitai.adapters.semantic_kernel:SemanticKernelAdapter",
        (
            "semantic_kernel.filters.kernel_filters_extension",
            "semantic_kernel.kernel",
            "semantic_kernel.connectors.ai.chat_completion_client_base",
            "semantic_kernel.agents.chat_completion.chat_completion_agent",
            "semantic_kernel.agents.open_ai.openai_responses_agent",
        ),
    ),
    "agent_framework": Framework(
        "agent_framework",
        "agent-framework-core",
        "unitai.adapters.agent_framework:AgentFrameworkAdapter",
        (
            "agent_framework._tools",
            "agent_framework._agents",
            "agent_framework._clients",
            "agent_framework_orchestrations._handoff",
        ),
    ),
    "pydantic_ai": Framework(
        "pydantic_ai",
        "pydantic-ai-slim",
        "unitai.adapters.pydantic_ai:PydanticAIAdapter",
        (
            "pydantic_ai.tool_manager",
            "pydantic_ai.toolsets.function",
            "pydantic_ai.mcp",
            "pydantic_ai.models",
            "pydantic_ai.agent",
        ),
    ),
    "google_adk": Framework(
        "google.adk",
        "google-adk",
        "unitai.adapters.google_adk:GoogleADKAdapter",
        (
            "google.adk.tools.base_tool",
            "google.adk.code_executors.base_code_executor",
            "google.adk.flows.llm_flows.functions",
            "google.adk.flows.llm_flows.tools._caller",
            "google.adk.agents.base_agent",
            "google.adk.models.base_llm",
            "google.adk.models.google_llm",
            "google.adk.plugins.plugin_manager",
            "google.adk.sessions.base_session_service",
            "google.adk.sessions.state",
        ),
        # What is in it was in the module before it.
        optional=frozenset({"google.adk.flows.llm_flows.tools._caller"}),
    ),
}

#: What is no framework, and calls tools all the same.
CLIENTS: dict[str, Framework] = {
    "mcp": Framework(
        "mcp",
        "mcp",
        "unitai.adapters.mcp_client",
        ("mcp.client.session", "mcp.client.client"),
        # Before 2.0 there were sessions only.
        optional=frozenset({"mcp.client.client"}),
        known_by="client.stdio",
    ),
}
_REDIRECTED = {**FRAMEWORKS, **CLIENTS}


def require(owner: Any, name: str, distribution: str) -> None:
    """Refuses a framework whose class lacks what is to be redirected: its real tools would run."""
    if not hasattr(owner, name):
        where = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", str(owner))
        raise _unsupported(distribution, f"{where}.{name}")


def _unsupported(distribution: str, missing: str) -> Exception:
    from importlib import metadata

    from unitai.errors import UnsupportedFrameworkError

    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        version = "of unknown version"
    return UnsupportedFrameworkError(
        f"{distribution} {version} has no {missing}, so its tools cannot be mocked: real ones would run",
        remedy=f"update unitai, or install a release of {distribution} that this unitai knows: "
        f"see docs/frameworks, or `pip install unitai[...]`",
    )


@cache
def check(name: str) -> None:
    """Refuses a framework that has no module where its tools are called: nothing would be redirected, and no import
    would tell.
    """
    framework = FRAMEWORKS.get(name) or CLIENTS[name]
    package = sys.modules.get(framework.package)
    if package is None or not _is_it(framework, package):
        return
    for module in framework.modules:
        inside = module.removeprefix(f"{framework.package}.")
        if inside != module and module not in framework.optional and not _holds(package, inside):
            raise _unsupported(framework.distribution, module)


def _is_it(framework: Framework, package: Any) -> bool:
    """Whether a module of this name is the framework, and not a folder of the project."""
    return framework.known_by is None or _holds(package, framework.known_by)


def _holds(package: Any, inside: str) -> bool:
    """Whether a package has such a module, by its files: to look for it otherwise would import what is around it."""
    *folders, name = inside.split(".")
    for place in getattr(package, "__path__", ()):
        folder = Path(place, *folders)
        if (folder / name).is_dir() or any(folder.glob(f"{name}.*")):
            return True
    return False


def _hook(framework: Framework, name: str) -> Any:
    def redirects(module: Any) -> list[Patch]:
        # What a framework is built on is redirected without it, too.
        is_inside = name == framework.package or name.startswith(f"{framework.package}.")
        if is_inside and not _is_it(framework, sys.modules.get(framework.package)):
            return []
        found: list[Patch] = import_module(framework.adapter.partition(":")[0]).redirects(module)
        return found

    return redirects


def _checking(name: str) -> Any:
    def redirects(module: Any) -> list[Patch]:
        check(name)
        return []

    return redirects


add_hooks(
    {
        **{framework.package: _checking(name) for name, framework in _REDIRECTED.items()},
        **{module: _hook(framework, module) for framework in _REDIRECTED.values() for module in framework.modules},
    }
)
