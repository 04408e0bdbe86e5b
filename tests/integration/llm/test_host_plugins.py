"""The host loads plugins: which classes, under which names, and what a broken one costs."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.integration

GOOD = """
from unitai.llm import LLMPlugin

class Good(LLMPlugin):
    name = "good"
    async def do(self, x: int = 1): return x
"""


def test_every_plugin_class_of_a_file_is_loaded_but_none_that_it_imports(host):
    running = host(
        one="""
from abc import ABC, abstractmethod
from unitai.llm import LLMPlugin
from two import Two  # a helper's way to say it
from .two import Two as Again

class Zeta(LLMPlugin):
    name = "zeta"
    async def do(self): return "zeta"

class Alpha(Again):
    name = "alpha"

class _Private(LLMPlugin):
    async def no(self): ...

class Abstract(LLMPlugin, ABC):
    @abstractmethod
    async def neither(self): ...
""",
        two="""
from unitai.llm import LLMPlugin
class Two(LLMPlugin):
    name = "two"
    async def do(self): return self.name
""",
        _skipped="raise RuntimeError",
    )
    told = running.open()
    assert list(told["tools"]) == ["zeta_do", "alpha_do", "two_do"]
    assert told["troubles"] == []
    assert running.call("alpha_do")["_meta"]["unitai/value"] == "alpha"


def test_a_plugin_may_have_the_name_of_a_module(host):
    running = host(
        json="""
import json, queue
from unitai.llm import LLMPlugin
class Json(LLMPlugin):
    name = "json"
    async def dump(self, x: dict): return json.dumps(x)
""",
        queue="raise RuntimeError('this is no plugin')",
    )
    told = running.open()
    assert len(told["troubles"]) == 1
    assert running.call("json_dump", x={"a": 1})["_meta"]["unitai/value"] == '{"a": 1}'


def test_plugins_import_helpers_beside_them_and_from_the_root(host, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("NAME = 'app'")
    running = host(
        __init__="SHARED = 'shared'",
        _helper="VALUE = 'helper'",
        it="""
from app import NAME
from . import SHARED
from ._helper import VALUE
import _helper
from unitai.llm import LLMPlugin
class It(LLMPlugin):
    name = "it"
    async def all(self): return [NAME, SHARED, VALUE, _helper.VALUE]
""",
    )
    assert running.call("it_all")["_meta"]["unitai/value"] == ["app", "shared", "helper", "helper"]


@pytest.mark.parametrize(
    "line",
    [
        "from llm_pytest import LLMPlugin",
        "from llm_pytest.plugin_base import LLMPlugin",
        "from llm_pytest.plugin import LLMPlugin",
        "import llm_pytest.plugin_base; LLMPlugin = llm_pytest.plugin_base.LLMPlugin",
    ],
)
def test_plugins_of_the_older_package_load_without_it(host, line):
    running = host(old=GOOD.replace("from unitai.llm import LLMPlugin", line))
    assert list(running.open()["tools"]) == ["good_do"]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("def f(:", "SyntaxError"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_broken_file_is_told_with_its_traceback_and_costs_the_others_nothing(host, broken, told):
    running = host(broken=broken, good=GOOD)
    answer = running.open()
    (trouble,) = answer["troubles"]
    first, *rest = trouble.splitlines()
    assert first.startswith("tests/llm/plugins/broken.py could not be loaded: ")
    assert told in trouble
    assert 'broken.py", line 1' in trouble
    assert not any("importlib" in line or "host" in line for line in rest)
    assert list(answer["tools"]) == ["good_do"]
    assert told in running.ask("tools/call", name="broken_tool")["error"]["message"]


def test_a_constructor_that_raises_is_told(host):
    running = host(
        bad="""
from unitai.llm import LLMPlugin
class Bad(LLMPlugin):
    name = "bad"
    def __init__(self): raise OSError("no display")
    async def do(self): ...
class Odd(LLMPlugin):
    scope = "forever"
    async def do(self): ...
""",
        good=GOOD,
    )
    told = running.open()
    assert list(told["tools"]) == ["good_do"]
    assert "Bad in tests/llm/plugins/bad.py could not be started: OSError: no display" in told["troubles"][0]
    assert "scope is" in told["troubles"][1]


def test_two_tools_of_one_name_are_told_and_neither_is_offered(host):
    running = host(one=GOOD, two=GOOD.replace("class Good", "class Other") + "    async def own(self): return 1\n")
    told = running.open()
    assert list(told["tools"]) == ["good_own"]
    (trouble,) = told["troubles"]
    assert "`good_do`" in trouble
    assert "Good in tests/llm/plugins/one.py and Other in tests/llm/plugins/two.py" in trouble
    assert trouble in running.ask("tools/call", name="good_do")["error"]["message"]


def test_what_a_tool_raises_is_an_error_with_its_traceback(host):
    running = host(
        it="""
import asyncio, sys
from unitai.llm import LLMPlugin
class It(LLMPlugin):
    name = "it"
    async def late(self): raise KeyError("nothing here")
    def plain(self): raise ValueError("plain")
    async def exit(self): sys.exit(1)
    def exit_plain(self): sys.exit(1)
    async def cancel(self): raise asyncio.CancelledError
    async def stop(self): raise KeyboardInterrupt
"""
    )
    told = running.call("it_late")
    assert told["isError"] is True
    assert told["content"] == [{"type": "text", "text": "KeyError: 'nothing here'"}]
    trace = told["_meta"]["unitai/traceback"]
    assert trace.splitlines()[1].strip().startswith("File ")
    assert 'it.py", line 6, in late' in trace.splitlines()[1]
    for tool, text in (
        ("plain", "ValueError: plain"),
        ("exit", "SystemExit: 1"),
        ("exit_plain", "SystemExit: 1"),
        ("cancel", "CancelledError"),
        ("stop", "KeyboardInterrupt"),
    ):
        told = running.call(f"it_{tool}")
        assert (told["isError"], told["content"][0]["text"]) == (True, text)
    assert "has no argument `y`" in running.call("it_late", y=1)["content"][0]["text"]


def test_no_plugins_are_no_trouble(host):
    assert host().open() == {"tools": {}, "troubles": []}


def test_a_plugin_may_describe_its_tools_itself(host):
    running = host(
        own="""
from unitai.llm import LLMPlugin
class Own(LLMPlugin):
    name = "own"
    def get_tools(self): return [{"name": f"own_{word}", "description": word} for word in ("a", "b")]
    async def call_tool(self, tool_name, arguments): return [tool_name, arguments]
"""
    )
    assert list(running.open()["tools"]) == ["own_a", "own_b"]
    assert running.call("own_b", x=1)["_meta"]["unitai/value"] == ["own_b", {"x": 1}]


def test_plain_plugins_keep_what_belongs_to_one_thread(host):
    running = host(
        base="""
import sqlite3
from unitai.llm import LLMPlugin
class Base(LLMPlugin):
    name = "db"
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create table t (x)")
    def put(self, x: int): self.db.execute("insert into t values (?)", (x,))
    def all(self): return [x for x, in self.db.execute("select x from t")]
    def cleanup(self): self.db.close()
"""
    )
    running.call("db_put", x=1)
    running.call("db_put", x=2)
    assert running.call("db_all")["_meta"]["unitai/value"] == [1, 2]
    assert running.close() == []


def test_a_test_may_clean_a_plugin_up_by_itself(host):
    running = host(good=GOOD)
    assert [tool["name"] for tool in running.ask("tools/list")["result"]["tools"]] == ["good_do"]
    for _ in range(2):
        told = running.call("_unitai_open")["structuredContent"]
        assert [tool["name"] for tool in told["cleanups"]] == ["good_cleanup"]
    assert running.call("good_cleanup")["isError"] is False
