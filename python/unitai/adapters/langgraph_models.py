"""How models of LangChain are asked: their calls are watched, and tools that would run at the provider refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session

__all__ = ["METHODS", "agenerate", "amodel_stream", "asked", "generate", "hosted_name", "model_stream"]

#: The methods that every class of models has for itself.
METHODS = ("_generate", "_agenerate", "_stream", "_astream")
#: Those that only some have, which write down their answers in another form.
_OPTIONAL_METHODS = ("_stream_chat_model_events", "_astream_chat_model_events")
#: Tools that a provider knows by their type, and that run here, as others do.
_RUN_HERE = ("function", "custom", "computer", "bash", "text_editor", "memory", "shell", "local_shell", "apply_patch")
#: Tools of Google, which are known by their only key.
_AT_GOOGLE = ("google_search", "google_search_retrieval", "code_execution", "url_context", "google_maps")


def _usage(answer: Any) -> Usage | None:
    """What an answer, a piece of one or an event says of its tokens."""
    if isinstance(answer, dict):
        return tokens(answer.get("usage"), "input_tokens", "output_tokens")
    pieces = getattr(answer, "generations", None) or [answer]
    said = getattr(getattr(pieces[0], "message", None), "usage_metadata", None)
    told = (getattr(answer, "llm_output", None) or {}).get("token_usage")
    return tokens(said, "input_tokens", "output_tokens") or tokens(told, "prompt_tokens", "completion_tokens")


#: `__getattribute__` of the classes of models.
asked = watched(
    ModelKind(
        names=("model_name", "model", "model_id"),
        usage=_usage,
        is_summed=True,
        fakes=("langchain_core.language_models.fake", "langchain_core.language_models.fake_chat_models"),
    ),
    *METHODS,
    *_OPTIONAL_METHODS,
)


def generate(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseChatModel.generate`, and every other way to ask a model that is no generator."""

    def generate(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(options)
        return original(self, *args, **options)

    return generate


def agenerate(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseChatModel.agenerate`."""

    async def agenerate(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(options)
        return await original(self, *args, **options)

    return agenerate


def model_stream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseChatModel.stream`."""

    def stream(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(options)
        yield from original(self, *args, **options)

    return stream


def amodel_stream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseChatModel.astream`."""

    async def astream(self: Any, *args: Any, **options: Any) -> Any:
        _refuse_hosted(options)
        async for piece in original(self, *args, **options):
            yield piece

    return astream


def _refuse_hosted(options: dict[str, Any]) -> None:
    """Refuses to offer a model what its provider would run, where no mock gets in."""
    hosted = [name for name in map(hosted_name, options.get("tools") or ()) if name is not None]
    session = Session.here(is_framework=False) if hosted else None
    if session is not None:
        for name in hosted:
            session.refuse_hosted(name)


def hosted_name(tool: Any) -> str | None:
    """The name of a tool that runs at the model's provider; `None` if it runs here."""
    if not isinstance(tool, dict):
        return None
    kind = tool.get("type")
    if kind is None:
        return next((name for name in _AT_GOOGLE if name in tool), None)
    runs_here = not isinstance(kind, str) or "function" in tool or "input_schema" in tool or kind.startswith(_RUN_HERE)
    return None if runs_here else str(tool.get("name") or kind)
