"""Plugins: which methods are tools, what their schemas say, and how they are called."""

from __future__ import annotations

import asyncio
import threading
from typing import Annotated, Any, Literal, Optional, Union  # noqa: F401

import pytest

from unitai.llm import LLMPlugin
from unitai.llm.schemas import input_schema

pytestmark = pytest.mark.unit


class Chart(LLMPlugin):
    name = "chart"
    limit = 5

    @property
    def size(self) -> int:
        raise AssertionError("nobody asks for it")

    async def zoom_in(self, factor: float, mode: str | None = None) -> dict[str, Any]:
        """Zooms in.

        And says more.
        """
        return {"factor": factor, "mode": mode}

    def thread(self) -> int:
        return threading.get_ident()

    @staticmethod
    async def still(x: int) -> int:
        return x

    async def _hidden(self) -> None: ...

    class Inner: ...


class Wide(Chart):
    name = "wide"

    async def further(self, /, a: int, *rest: int, b: int = 2, **more: int) -> dict[str, Any]:
        return {"a": a, "b": b, **more}

    thread = None  # type: ignore[assignment]


def call(plugin: LLMPlugin, tool: str, **args: Any) -> Any:
    return asyncio.run(plugin.call_tool(tool, args))


def test_public_methods_are_tools_and_nothing_else_is():
    assert [tool["name"] for tool in Chart().get_tools()] == ["chart_zoom_in", "chart_thread", "chart_still"]


def test_a_subclass_has_the_tools_of_its_base_under_its_own_name():
    assert [tool["name"] for tool in Wide().get_tools()] == ["wide_zoom_in", "wide_still", "wide_further"]


def test_a_tool_is_described_by_the_first_line_of_its_docstring_or_by_its_name():
    zoom, thread, _ = Chart().get_tools()
    assert (zoom["description"], thread["description"]) == ("Zooms in.", "thread")
    assert zoom["inputSchema"] == {
        "type": "object",
        "properties": {"factor": {"type": "number"}, "mode": {"type": "string"}},
        "required": ["factor"],
    }


def test_the_name_may_be_that_of_an_instance():
    class Named(Chart):
        def __init__(self) -> None:
            self.name = "own"

    assert Named().get_tools()[0]["name"] == "own_zoom_in"
    assert call(Named(), "own_still", x=1) == 1


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list, {"type": "array"}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (list[list[str]], {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
        (Union[int, None], {"type": "integer"}),  # noqa: UP007
        (int | None, {"type": "integer"}),
        ("int | None", {"type": "integer"}),
        ("Optional[bool]", {"type": "boolean"}),
        ("NotThere", {"type": "string"}),
        (int | str, {"type": "string"}),
        (Any, {"type": "string"}),
        (Annotated[int, "seconds"], {"type": "integer"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (Literal["a"] | None, {"type": "string", "enum": ["a"]}),
        (object, {"type": "string"}),
    ],
)
def test_schemas_come_from_type_hints(hint, schema):
    def tool(x): ...

    tool.__annotations__["x"] = hint
    assert input_schema(tool) == {"type": "object", "properties": {"x": schema}, "required": ["x"]}


def test_a_hint_that_cannot_be_resolved_costs_the_others_nothing():
    def tool(x: NotThere, y: int, z: bool = True): ...  # noqa: F821

    assert input_schema(tool)["properties"] == {
        "x": {"type": "string"},
        "y": {"type": "integer"},
        "z": {"type": "boolean", "default": True},
    }


@pytest.mark.parametrize("tool", ["chart_zoom_in", "zoom_in"])
def test_a_tool_is_called_with_or_without_the_name_of_its_plugin(tool):
    assert call(Chart(), tool, factor=2.0) == {"factor": 2.0, "mode": None}


def test_open_arguments_are_handed_on():
    assert call(Wide(), "wide_further", a=1, c=3) == {"a": 1, "b": 2, "c": 3}


def test_plain_methods_run_in_one_thread_which_is_not_ours():
    async def twice() -> list[int]:
        plugin = Chart()
        return [await plugin.call_tool("chart_thread", {}), await plugin.call_tool("chart_thread", {})]

    first, second = asyncio.run(twice())
    assert first == second != threading.get_ident()


def test_an_unknown_tool_is_a_value_error_with_the_nearest_name():
    with pytest.raises(ValueError, match="there is no tool `chart_zoom_on`, did you mean `chart_zoom_in`?"):
        call(Chart(), "chart_zoom_on")
    with pytest.raises(ValueError, match="there is no tool `xyz`; there are chart_zoom_in, chart_thread, chart_still"):
        call(Chart(), "xyz")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"facto": 1}, "zoom_in has no argument `facto`, did you mean `factor`\\?; it takes factor, mode"),
        ({}, "zoom_in needs the argument `factor`, which was not given"),
    ],
)
def test_arguments_that_do_not_fit_are_told(args, told):
    with pytest.raises(TypeError, match=told):
        call(Chart(), "chart_zoom_in", **args)


def test_cleanup_can_be_called_as_a_tool_and_written_as_a_plain_method():
    class Plain(LLMPlugin):
        name = "plain"
        cleaned = 0

        def cleanup(self) -> None:  # type: ignore[override]
            self.cleaned += 1

    plugin = Plain()
    assert plugin.get_tools() == []
    call(plugin, "plain_cleanup")
    assert plugin.cleaned == 1


def test_a_call_that_is_given_up_takes_no_thread_from_the_next():
    release = threading.Event()

    class Slow(LLMPlugin):
        name = "slow"

        def hang(self) -> None:
            release.wait(20)

        def quick(self) -> str:
            return "done"

    async def story() -> str:
        plugin = Slow()
        task = asyncio.ensure_future(plugin.call_tool("hang", {}))
        await asyncio.sleep(0.05)
        task.cancel()
        return await plugin.call_tool("quick", {})

    assert asyncio.run(asyncio.wait_for(story(), 10)) == "done"
    release.set()
