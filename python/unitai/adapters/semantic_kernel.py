"""Semantic Kernel.

Every function of a kernel is called through the stack of filters that `construct_call_stack` builds: by the model, by a
template, or by code. In a run the innermost part of that stack asks the mock, so that the filters of the user still run
around it. What the kernel refuses before that (an unknown function, missing arguments) is seen at
`Kernel.invoke_function_call`, which is where the calls of a model come in.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from inspect import getclosurevars, isawaitable
from typing import Any, Literal

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.base import AgentTool, BaseAdapter, is_a
from unitai.adapters.frameworks import require
from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session, StateChange, ToolCall, speaking
from unitai.errors import WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["SemanticKernelAdapter", "redirects"]

#: The agents that say who speaks, by their modules.
_AGENTS = {
    "semantic_kernel.agents.chat_completion.chat_completion_agent": "ChatCompletionAgent",
    "semantic_kernel.agents.open_ai.openai_responses_agent": "OpenAIResponsesAgent",
}
_KERNEL = "semantic_kernel.kernel.Kernel"
_ORCHESTRATION = "semantic_kernel.agents.orchestration.orchestration_base.OrchestrationBase"


class SemanticKernelAdapter(BaseAdapter):
    """Runs agents, orchestrations, and kernels: a kernel is given a prompt, and its model may call any function.

    Args:
        thread: The conversation that an agent goes on with.
        arguments: What `get_response` or `invoke_prompt` takes under this name; a kernel's settings are in it, too.
    """

    name = "semantic_kernel"
    handles = frozenset({"semantic_kernel.agents.agent.Agent", _KERNEL, _ORCHESTRATION})

    def __init__(self, thread: Any = None, arguments: Any = None) -> None:
        self._thread = thread
        self._arguments = arguments

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return agent

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        # Running adds to them.
        arguments = copy.copy(self._arguments)
        if is_a(wrapped_agent, _ORCHESTRATION):
            return await _orchestrated(wrapped_agent, input)
        if is_a(wrapped_agent, _KERNEL):
            said = await wrapped_agent.invoke_prompt(input, arguments=arguments or _any_function())
            return None if said is None else str(said)
        with speaking(wrapped_agent.name):
            said = await wrapped_agent.get_response(messages=input, thread=self._thread, arguments=arguments)
        return str(said)

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for tool in _tools(agent)}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        return bool(self.extract_tools(agent))


def _any_function() -> Any:
    models = import_module("semantic_kernel.connectors.ai")
    settings = models.PromptExecutionSettings(function_choice_behavior=models.FunctionChoiceBehavior.Auto())
    return import_module("semantic_kernel.functions").KernelArguments(settings=settings)


async def _orchestrated(orchestration: Any, input: Any) -> Any:
    runtime = import_module("semantic_kernel.agents.runtime").InProcessRuntime()
    runtime.start()
    try:
        said = await (await orchestration.invoke(task=input, runtime=runtime)).get()
    finally:
        await runtime.stop()
    return [str(each) for each in said] if isinstance(said, list) else str(said)


def _tools(agent: Any, seen: tuple[Any, ...] = ()) -> Iterator[AgentTool]:
    if any(each is agent for each in seen):
        return
    for member in getattr(agent, "_members", ()):
        yield from _tools(member, (*seen, agent))
    kernel = agent if is_a(agent, _KERNEL) else getattr(agent, "kernel", None)
    for function in [each for plugin in getattr(kernel, "plugins", {}).values() for each in plugin]:
        name, *aliases = _names(function, kernel)
        result = function.return_parameter
        yield AgentTool(
            name,
            description=function.description or "",
            schema=partial(_schema, function),
            returns=None if result is None else result.schema_data,
            aliases=aliases,
            kind=_kind(function),
            agent_id=getattr(agent, "name", None),
        )
        inner = _agent_in(function)
        if inner is not None:
            yield from _tools(inner, (*seen, agent))
    for tool in () if kernel is agent else _hosted(agent):
        yield AgentTool(tool, kind="hosted", agent_id=agent.name)


def _names(function: Any, kernel: Any) -> tuple[str, ...]:
    """The names of a function: its own alone, where no other plugin has one of this name; as the model knows it; and
    with a dot, as templates have it.
    """
    name, plugin = function.name, function.plugin_name
    if not plugin:
        return (name,)
    full = (function.fully_qualified_name, f"{plugin}.{name}")
    is_taken = any(name in each and key != plugin for key, each in kernel.plugins.items())
    return full if is_taken else (name, *full)


def _schema(function: Any) -> dict[str, Any]:
    told = import_module("semantic_kernel.connectors.ai.function_calling_utils")
    schema: dict[str, Any] = told.kernel_function_metadata_to_function_call_format(function.metadata)["function"]
    return schema["parameters"]  # type: ignore[no-any-return]


def _kind(function: Any) -> Literal["tool", "mcp", "agent"]:
    if function.is_prompt or _agent_in(function) is not None:
        return "agent"
    return "mcp" if is_a(_object_of(function), "semantic_kernel.connectors.mcp.MCPPluginBase") else "tool"


def _agent_in(function: Any) -> Any:
    """The agent that a function stands for: one that was added as a plugin."""
    method: Any = getattr(function, "method", None)
    if getattr(method, "__qualname__", "") != "Agent.model_post_init.<locals>._as_kernel_function":
        return None
    return getclosurevars(method).nonlocals.get("self")


def _object_of(function: Any) -> Any:
    method = getattr(function, "method", None)
    return getattr(getattr(method, "func", method), "__self__", None)


def _hosted(agent: Any, options: Mapping[str, Any] | None = None) -> list[str]:
    """The tools that run at the provider of an agent, or that a call of it brings."""
    tools = [*(getattr(agent, "tools", None) or ()), *((options or {}).get("tools") or ())]
    return [tool["type"] if isinstance(tool, dict) else tool.type for tool in tools]


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    if module.__name__ == "semantic_kernel.filters.kernel_filters_extension":
        require(module.KernelFilterExtension, "construct_call_stack", "semantic-kernel")
        return [Patch(module.KernelFilterExtension, "construct_call_stack", _construct_call_stack)]
    if module.__name__ == "semantic_kernel.kernel":
        require(module.Kernel, "invoke_function_call", "semantic-kernel")
        return [Patch(module.Kernel, "invoke_function_call", _invoke_function_call)]
    if module.__name__ == "semantic_kernel.connectors.ai.chat_completion_client_base":
        for name in _MODEL_METHODS:
            require(module.ChatCompletionClientBase, name, "semantic-kernel")
        return [Patch(module.ChatCompletionClientBase, "__getattribute__", watched(_MODELS, *_MODEL_METHODS))]
    agent = getattr(module, _AGENTS[module.__name__])
    for name in ("get_response", "invoke", "invoke_stream"):
        require(agent, name, "semantic-kernel")
    return [
        Patch(agent, "get_response", _get_response),
        Patch(agent, "invoke", _invoke),
        Patch(agent, "invoke_stream", _invoke),
    ]


def _usage(answer: Any) -> Usage | None:
    """What an answer says of its tokens, or a piece of one: the first of several says it for all."""
    first = answer[0] if isinstance(answer, list) and answer else answer
    said = (getattr(first, "metadata", None) or {}).get("usage")
    return tokens(said, "prompt_tokens", "completion_tokens")


_MODELS = ModelKind(names=("ai_model_id",), usage=_usage)
_MODEL_METHODS = ("_inner_get_chat_message_contents", "_inner_get_streaming_chat_message_contents")


def _get_response(original: Callable[..., Any]) -> Callable[..., Any]:
    async def get_response(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(self, options)
        with speaking(self.name):
            return await original(self, *args, **options)

    return get_response


def _invoke(original: Callable[..., Any]) -> Callable[..., Any]:
    async def invoke(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(self, options)
        pieces = original(self, *args, **options)
        try:
            while True:
                # Between two pieces somebody else speaks.
                token = enter_agent(self.name)
                try:
                    piece = await pieces.__anext__()
                except StopAsyncIteration:
                    return
                finally:
                    leave_agent(token)
                yield piece
        finally:
            await pieces.aclose()

    return invoke


def _refuse_hosted(agent: Any, options: Mapping[str, Any]) -> None:
    session = Session.here()
    if session is not None:
        for tool in _hosted(agent, options):
            session.refuse_hosted(tool)


class _Asked:
    """A call of the model, on its way to the function."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        #: Whether the kernel takes it, and whether the filters let it through to the function.
        self.is_accepted = self.is_reached = False


_asked: ContextVar[_Asked | None] = ContextVar("unitai_semantic_kernel_asked", default=None)


def _invoke_function_call(original: Callable[..., Any]) -> Callable[..., Any]:
    async def invoke_function_call(self: Any, function_call: Any, chat_history: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return await original(self, function_call, chat_history, *args, **options)
        asked = _Asked(function_call.name)
        if function_call.id:
            # A filter may answer in the function's place.
            session.leave_to_framework(function_call.id)
        token = _asked.set(asked)
        try:
            done = await original(self, function_call, chat_history, *args, **options)
        finally:
            _asked.reset(token)
        if not asked.is_reached:
            call, kind, why = _refused(self, function_call, chat_history)
            if asked.is_accepted:
                session.deny(call, why)
            else:
                session.reject(call, kind(why))
        return done

    return invoke_function_call


def _refused(kernel: Any, call: Any, chat_history: Any) -> tuple[ToolCall, type[Exception], str]:
    """A call that the kernel or a filter refused, what kind of error that is, and why: what the model is told."""
    answers = [
        item for message in chat_history.messages for item in message.items if getattr(item, "id", None) == call.id
    ]
    why = str(answers[-1].result) if answers and hasattr(answers[-1], "result") else "refused"
    try:
        args = dict(call.parse_arguments() or {})
    except Exception:
        args = {"arguments": call.arguments}
    try:
        name, *aliases = _names(kernel.get_function(call.plugin_name, call.function_name), kernel)
    except Exception:
        return ToolCall(call.name or "", args), LookupError, why
    return ToolCall(name, args, aliases=tuple(aliases)), WrongArgumentsError, why


def _construct_call_stack(original: Callable[..., Any]) -> Callable[..., Any]:
    def construct_call_stack(self: Any, filter_type: Any, inner_function: Any) -> Any:
        session = Session.here()
        if session is not None and filter_type == "auto_function_invocation":
            asked = _asked.get()
            if asked is not None:
                asked.is_accepted = True
        elif session is not None and filter_type == "function_invocation":
            inner_function = partial(_call, session, inner_function)
        return original(self, filter_type, inner_function)

    return construct_call_stack


async def _call(session: Session, inner: Callable[[Any], Any], context: Any) -> None:
    """The innermost part of the filters around a function."""
    asked = _asked.get()
    if asked is not None:
        asked.is_reached = True
    function = context.function
    names = _names(function, context.kernel)
    if _is_handoff(function, session) or (function.is_prompt and not _is_tool(names, session)):
        await inner(context)
        return
    # The rest is not the function's, or not the model's.
    known = {each.name for each in function.parameters if each.include_in_function_choices}
    args = {name: value for name, value in context.arguments.items() if name in known}
    kind = _kind(function)
    # What a server of tools takes, it says itself; the kernel knows no types of it.
    schema = _schema(function) if kind == "mcp" else None
    call = ToolCall(names[0], args, aliases=names[1:], schema=schema, is_agent=kind == "agent")
    if not function.is_prompt:
        try:
            function.gather_function_parameters(context)
        except Exception as error:
            session.reject(call, error)
            raise
    is_real = False

    async def real() -> Any:
        nonlocal is_real
        is_real = True
        await inner(context)
        return None if context.result is None else context.result.value

    value = session.answer(call, real)
    if isawaitable(value):
        value = await value
    if not is_real:
        result = import_module("semantic_kernel.functions").FunctionResult
        context.result = result(function=function.metadata, value=value)


def _is_tool(names: tuple[str, ...], session: Session) -> bool:
    """Whether a prompt is called as a tool: by the model, or because the test mocks it. Others are calls of a model."""
    asked = _asked.get()
    return (asked is not None and asked.name in names) or session.stance(*names) == "mocked"


def _is_handoff(function: Any, session: Session) -> bool:
    """Whether a function is one of those that an orchestration gives to its agents to pass the talk on or to end it."""
    actor = _object_of(function)
    if not type(actor).__module__.startswith("semantic_kernel.agents.orchestration."):
        return False
    method = function.method
    if isinstance(method, partial):
        session.note(StateChange("agent", actor._agent.name, method.args[0]))
    return True
