"""CrewAI: crews, agents on their own, and flows. How their tools are called is told in `crewai_calls`."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from inspect import Signature, signature
from typing import Any

from unitai.adapters.base import AgentTool, BaseAdapter, is_a, shape_of
from unitai.adapters.crewai_calls import is_own, name_of, names_of, redirects, sanitized, schema_of
from unitai.adapters.ports import Session

__all__ = ["CrewAIAdapter", "redirects"]

_CREW = "crewai.crew.Crew"
_AGENT = "crewai.agents.agent_builder.base_agent.BaseAgent"
_LITE = "crewai.lite_agent.LiteAgent"
_FLOWS = ("crewai.flow.flow.Flow", "crewai.flow.runtime.Flow")


class CrewAIAdapter(BaseAdapter):
    """Runs crews, agents and flows.

    Args:
        memory: Whether crews and agents keep their memory, which asks models and writes to a disk.
        files: Whether tasks write their `output_file`, and crews their log.
        options: Further arguments of `akickoff`, such as `input_files` or, for an agent, `response_format`.
    """

    name = "crewai"
    handles = frozenset({_CREW, _AGENT, _LITE, *_FLOWS})

    def __init__(self, *, memory: bool = False, files: bool = False, **options: Any) -> None:
        self._memory = memory
        self._files = files
        self._options = options

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return _Copies(self._memory, self._files).of(agent)

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        start = getattr(wrapped_agent, "akickoff", None) or wrapped_agent.kickoff_async
        if is_a(wrapped_agent, _AGENT, _LITE):
            done = await start(input, **self._options)
        else:
            inputs = {"input": input} if isinstance(input, str) else input
            done = await start(inputs=inputs, **self._options)
        if hasattr(done, "__aiter__"):
            async for _ in done:
                pass
            done = done.result
        return _output(done)

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for tool in _tools(agent)}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        if is_a(agent, *_FLOWS):
            return False
        late = ("mcps", "apps", "skills", "memory")
        return not any(getattr(each, name, None) for each in (agent, *_agents(agent)) for name in late)


def _output(done: Any) -> Any:
    """The structured output where one was asked for, else the text."""
    for name in ("pydantic", "json_dict", "raw"):
        value = getattr(done, name, None)
        if value is not None:
            return value
    return done


class _Copies:
    """Copies of what running itself would change: roles and descriptions are filled in for good, executors and
    results are kept. Everything else is shared, so that nothing is lost on the way.
    """

    def __init__(self, memory: bool, files: bool) -> None:
        self._memory = memory
        self._files = files
        self._made: dict[int, Any] = {}

    def of(self, thing: Any) -> Any:
        """The copy of a thing; the same one, if it is met again."""
        if thing is None:
            return None
        if id(thing) not in self._made:
            self._made[id(thing)] = made = _shallow(thing)
            if is_a(thing, _CREW):
                self._crew(made)
            elif is_a(thing, _AGENT, _LITE):
                self._agent(made)
            elif is_a(thing, "crewai.task.Task"):
                self._task(made)
            elif is_a(thing, *_FLOWS):
                self._flow(thing, made)
        return self._made[id(thing)]

    def _crew(self, crew: Any) -> None:
        agents, tasks = self._all(crew.agents), self._all(crew.tasks)
        changes = {"agents": agents, "tasks": tasks, "tracing": False}
        for name in ("manager_agent", "manager_llm", "function_calling_llm", "chat_llm", "planning_llm"):
            changes[name] = self._one(vars(crew).get(name))
        if not self._memory:
            changes["memory"] = False
            crew._memory = None
        if not self._files:
            changes["output_log_file"] = None
        _set_private(crew, {"_rpm_controller": _fresh(_private(crew).get("_rpm_controller"))})
        _set(crew, changes)

    def _agent(self, agent: Any) -> None:
        changes = {"tools": self._all(agent.tools), "agent_executor": None}
        for name in ("llm", "function_calling_llm", "tools_handler", "security_config"):
            changes[name] = self._one(vars(agent).get(name))
        if not self._memory:
            changes["memory"] = None
            _set_private(agent, {"_memory": None})
        private = _private(agent)
        process = private.get("_token_process")
        counts = {"_token_process": process and type(process)(), "_times_executed": 0}
        _set_private(agent, {**counts, "_rpm_controller": _fresh(private.get("_rpm_controller"))})
        _set(agent, changes)

    def _task(self, task: Any) -> None:
        changes = {"tools": self._all(task.tools), "agent": self.of(task.agent)}
        if isinstance(task.context, list):
            changes["context"] = self._all(task.context)
        if not self._files:
            changes["output_file"] = None
        _set(task, changes)

    def _flow(self, flow: Any, made: Any) -> None:
        own = {name: _bound_to(made, method, flow) for name, method in getattr(flow, "_methods", {}).items()}
        _set_private(made, {"_methods": own, "_state": copy.deepcopy(_private(made).get("_state"))})

    def _all(self, things: Any) -> Any:
        return [self.of(thing) for thing in things] if isinstance(things, list) else things

    def _one(self, thing: Any) -> Any:
        return thing if isinstance(thing, str) else self.of(thing)


def _shallow(thing: Any) -> Any:
    """A copy with containers of its own."""
    made = copy.copy(thing)
    for fields in (made.__dict__, _private(made)):
        for name, value in fields.items():
            if type(value) in (list, dict, set):
                fields[name] = copy.copy(value)
    return made


def _fresh(controller: Any) -> Any:
    """The same limit of requests, counted anew."""
    return controller and type(controller)(max_rpm=controller.max_rpm)


def _set(thing: Any, values: dict[str, Any]) -> None:
    """Past the checks, which would build some of it anew."""
    thing.__dict__.update({name: value for name, value in values.items() if name in thing.__dict__})


def _set_private(thing: Any, values: dict[str, Any]) -> None:
    private = _private(thing)
    private.update({name: value for name, value in values.items() if name in private})


def _private(thing: Any) -> dict[str, Any]:
    private: dict[str, Any] | None = getattr(thing, "__pydantic_private__", None)
    return vars(thing) if private is None else private


def _bound_to(made: Any, method: Any, flow: Any) -> Any:
    if getattr(method, "__self__", None) is not flow:
        return method
    return getattr(method, "__func__", method).__get__(made, type(made))


def _agents(agent: Any) -> Iterator[Any]:
    """The agents that take part, each once."""
    if not is_a(agent, _CREW):
        yield agent
        return
    found = [*agent.agents, *(task.agent for task in agent.tasks), agent.manager_agent]
    yield from {id(each): each for each in found if each is not None}.values()


def _tools(agent: Any) -> Iterator[AgentTool]:
    if is_a(agent, *_FLOWS):
        return
    for each in _agents(agent):
        yield from (_agent_tool(tool, each) for tool in each.tools or ())
        for hosted in getattr(each.llm, "builtin_tools", None) or ():
            yield AgentTool(hosted, kind="hosted", agent_id=name_of(each))
    for task in getattr(agent, "tasks", ()):
        yield from (_agent_tool(tool, task.agent) for tool in task.tools or ())
    is_led = str(getattr(agent, "process", "")).endswith("hierarchical")
    if is_led or any(each.allow_delegation for each in getattr(agent, "agents", ())):
        for name in ("Delegate work to coworker", "Ask question to coworker"):
            yield AgentTool(sanitized(name), aliases=(name,), kind="agent")


def _agent_tool(tool: Any, agent: Any) -> AgentTool:
    name, aliases = names_of(tool)
    is_remote = type(tool).__module__.startswith("crewai.tools.mcp_")
    return AgentTool(
        name,
        description=tool.description,
        schema=partial(schema_of, tool),
        returns=partial(_returns, tool),
        aliases=aliases,
        kind="agent" if is_own(tool) else "mcp" if is_remote else "tool",
        agent_id=None if agent is None else name_of(agent),
    )


def _returns(tool: Any) -> dict[str, Any] | None:
    shape = getattr(tool, "result_schema", None)
    try:
        given = signature(getattr(tool, "func", tool._run), eval_str=True).return_annotation
        shape = given if shape is None else shape
        return None if shape in (Signature.empty, Any) else shape_of(shape)
    except Exception:
        # An annotation that nobody can resolve, or that is no shape, says nothing.
        return None
