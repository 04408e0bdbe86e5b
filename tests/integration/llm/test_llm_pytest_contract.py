"""What was written for llm-pytest and its MCP server runs as it is: arguments, results and defaults of its later releases."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from projects import COMMAND
from yaml_project import YamlProject

from unitai.llm import LLMPlugin, Step, TestSpec, engine

pytestmark = pytest.mark.integration

PLUGIN = """
from dataclasses import dataclass
from typing import Optional

from llm_pytest import LLMPlugin

@dataclass
class Item:
    name: str
    count: int = 1

class Shop(LLMPlugin):
    name = "shop"

    async def buy(self, item: str, count: int = 1, gift: bool = False, note: Optional[str] = None) -> dict:
        '''Buys something.'''
        return {"item": item, "count": count, "gift": gift, "note": note}

    async def pack(self, items: list[Item], sizes: dict[str, float] = {}) -> dict:
        '''Packs things.'''
        return {"count": sum(item.count for item in items), "sizes": sizes}

    async def keep(self, headers: dict) -> dict:
        return headers
"""
TEST = """
test: {name: "Multi-tool Test", timeout: 60}
setup:
  - {tool: store_value, args: {name: a, value: 1}}
steps:
  - name: group
    repeat: 2
    steps:
      - {tool: shop_buy, args: {item: pen}}
  - {tool: get_value, args: {name: a}, check: value == 1}
verdict: checks
"""
FAILS = """
test: {name: It fails}
steps:
  - {tool: assert_equals, args: {actual: 1, expected: 2}}
verdict: checks
"""


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    made.plugin("shop", PLUGIN)
    made.yaml(TEST, "test_shop.yaml")
    made.yaml(FAILS, "test_fails.yaml")
    return made


class Client:
    """A client of `unitai mcp`, as llm-pytest's server had them."""

    def __init__(self, project: YamlProject, **variables: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        env = project.environment(**variables)
        self._running = subprocess.Popen([str(COMMAND), "mcp"], cwd=project.folder, env=env, text=True, **pipes)
        hello = {"name": "by-hand", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": hello})

    def _ask(self, method: str, params: dict) -> dict:
        self._running.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self._running.stdin.flush()
        return json.loads(self._running.stdout.readline())["result"]

    def call(self, tool: str, **args: object) -> dict:
        answer = self._ask("tools/call", {"name": tool, "arguments": args})
        assert answer["isError"] is False, answer
        return answer["structuredContent"]

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.communicate(timeout=30)


def of(told: dict, *keys: str) -> dict:
    return {key: told[key] for key in keys}


def test_validate_test_tells_its_name_steps_and_tools(project):
    keys = ("valid", "test_name", "step_count", "tools_used", "errors")
    with Client(project) as client:
        for path in ("tests/llm/test_shop.yaml", str(project.folder / "tests/llm/test_shop.yaml")):
            told = of(client.call("validate_test", test_path=path), *keys)
            assert told == {
                "valid": True, "test_name": "Multi-tool Test", "step_count": 3,
                "tools_used": ["get_value", "shop_buy", "store_value"], "errors": [],
            }  # fmt: skip
        missing = client.call("validate_test", test_path="nonexistent.yaml")
        assert of(missing, *keys[:4]) == {"valid": False, "test_name": None, "step_count": 0, "tools_used": []}
        assert "there is no file" in missing["errors"][0]
        project.yaml("test: {name: x}\nsteps: [{tol: y}]\nverdict: checks\n", "broken.yaml")
        broken = client.call("validate_test", test_path="tests/llm/broken.yaml")
        assert broken["valid"] is False and "no key `tol`" in broken["errors"][0]


def test_run_test_tells_the_verdict_or_why_there_is_none(project):
    keys = ("success", "verdict", "reason")
    with Client(project) as client:
        told = client.call("run_test", test_path="tests/llm/test_shop.yaml", timeout=30)
        assert of(told, *keys) == {"success": True, "verdict": "PASS", "reason": told["tests"][0]["reason"]}
        assert 0 < told["duration_seconds"] < 30 and "error" not in told
        failed = client.call("run_test", test_path="tests/llm/test_fails.yaml")
        assert (failed["success"], failed["verdict"]) == (True, "FAIL")
        assert "expected 2, found 1" in failed["reason"]
        missing = client.call("run_test", test_path="nonexistent.yaml")
        assert of(missing, *keys, "duration_seconds") == {
            "success": False, "verdict": None, "reason": None, "duration_seconds": 0,
        }  # fmt: skip
        assert "there is no file" in missing["error"]


def test_list_plugins_tells_plugins_built_in_tools_and_their_sum(project):
    with Client(project) as client:
        told = client.call("list_plugins")
    (shop,) = told["plugins"]
    assert of(shop, "name", "filename") == {"name": "shop", "filename": "shop.py"}
    assert [tool["name"] for tool in shop["tools"]] == ["shop_buy", "shop_pack", "shop_keep"]
    assert shop["tools"][0]["description"] == "Buys something."
    assert {it["name"]: it["type"] for it in shop["tools"][0]["parameters"]} == {
        "item": "str", "count": "int", "gift": "bool", "note": "str",
    }  # fmt: skip
    its_own = {
        "store_value",
        "get_value",
        "list_values",
        "sleep",
        "create_test",
        "validate_test",
        "list_plugins",
        "run_test",
    }
    assert its_own <= set(told["builtin_tools"])
    assert told["total_tools"] == len(told["builtin_tools"]) + 3


#: Stands for a model: a program that the judge's command names. It writes a test, and a plugin unless it is to write none.
AUTHOR = '''
import json, os, sys
asked = json.load(sys.stdin)
assert "An order can be sent" in asked["prompt"] and "shop_buy" in asked["prompt"], asked
test = """
test: {name: An order can be sent}
steps:
  - {tool: order_send, args: {item: pen}, check: sent == "pen"}
verdict: checks
"""
plugin = """
from unitai.llm import LLMPlugin
class Order(LLMPlugin):
    name = "order"
    async def send(self, item: str) -> dict:
        return {"sent": item}
""" + os.environ.get("TESTS_ADDED", "")
answer = {"test": {"filename": "test_order.yaml", "code": test}, "plugin": {"filename": "order.py", "code": plugin}}
print(json.dumps({"answer": answer, "model": "scripted", "usage": {"input_tokens": 1, "output_tokens": 1}, "cost_usd": 0.01}))
'''


@pytest.fixture
def authored(project):
    (project.folder / "author.py").write_text(AUTHOR)
    command = json.dumps([sys.executable, "author.py"])
    (project.folder / "pyproject.toml").write_text(f'[tool.unitai.judge]\nprovider = "command"\ncommand = {command}\n')
    return project


def test_create_test_has_a_model_write_a_test_and_its_plugin_from_a_description(authored):
    with Client(authored, UNITAI_JUDGE_PROVIDER="command") as client:
        made = client.call("create_test", description="An order can be sent", filename="test_sent.yaml", timeout=60)
        assert of(made, "success", "test_path", "plugin_path") == {
            "success": True, "test_path": "tests/llm/test_sent.yaml", "plugin_path": "tests/llm/plugins/order.py",
        }, made  # fmt: skip
        assert "order_send" in made["test_content"] and 'name = "order"' in made["plugin_content"]
        assert client.call("run_test", test_path=made["test_path"])["verdict"] == "PASS"
        again = client.call("create_test", description="An order can be sent")
        assert again["success"] is False and 'is called "order", as another one is' in again["error"]
    assert (authored.folder / made["test_path"]).read_text() == made["test_content"]


def test_what_a_model_writes_that_is_no_python_is_not_kept(authored):
    with Client(authored, UNITAI_JUDGE_PROVIDER="command", TESTS_ADDED="def f(:\n") as client:
        made = client.call("create_test", description="An order can be sent")
    assert made["success"] is False and "is not valid Python: line " in made["error"]
    assert not (authored.folder / "tests/llm/test_order.yaml").exists()
    assert not (authored.folder / "tests/llm/plugins/order.py").exists()


def test_without_a_model_create_test_says_how_to_get_one(project):
    with Client(project) as client:
        made = client.call("create_test", description="An order can be sent")
    assert made["success"] is False and "judge" in made["error"], made


STORE = """
test: {name: Store}
steps:
  - tool: store_value
    args: {name: a, value: 1}
    check: [stored == "a", value == 1]
  - tool: get_value
    args: {name: a, default: 3}
    check: [name == "a", value == 1, found == true]
  - tool: get_value
    args: {name: b, default: 3}
    check: [name == "b", value == 3, found == false]
  - tool: list_values
    check: ['result.keys == ["a"]', count == 1]
verdict: checks
"""


def test_values_are_kept_and_found_with_a_default(project):
    project.yaml(STORE, "store.yaml")
    code, out = project.run("command", "tests/llm/store.yaml")
    assert code == 0, out


ARGUMENTS = """
test: {name: Arguments}
steps:
  - tool: shop_buy
    args: {item: pen, count: "2", gift: "yes"}
    check: [count == 2, gift == true, note == null]
    save_as: bought
  - tool: shop_buy
    args: {item: "${bought.count}", count: 3.0}
    check: [item == "2", count == 3]
  - tool: shop_pack
    args: {items: [{name: pen, count: "2"}, {name: ink}], sizes: {box: "0.5"}}
    check: [count == 3, sizes.box == 0.5]
  - tool: shop_keep
    args: {headers: {"${bought.item}": "${bought.item}"}}
    check: 'result["$${bought.item}"] == "pen"'
verdict: checks
"""


@pytest.mark.parametrize("way", ["command", "pytest"])
def test_arguments_become_what_annotations_ask_for_and_keys_stay_as_written(project, way):
    project.yaml(ARGUMENTS, "arguments.yaml")
    code, out = project.run(way, "tests/llm/arguments.yaml")
    assert code == 0, out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ('{item: pen, count: "two"}', "buy cannot take `count`: expected a whole number, found 'two'"),
        ("{item: pen, count: 1.5}", "buy cannot take `count`: expected a whole number, found 1.5"),
        ("{item: [pen]}", "buy cannot take `item`: expected a text, found ['pen']"),
        ("{item: pen, gift: perhaps}", "buy cannot take `gift`: expected true or false, found 'perhaps'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(project, args, told):
    project.yaml(f"test: {{name: x}}\nsteps: [{{tool: shop_buy, args: {args}}}]\nverdict: checks\n", "a.yaml")
    code, out = project.run("command", "tests/llm/a.yaml")
    assert (code, told in out) == (1, True), out


def test_a_program_that_calls_a_plugin_gets_the_same():
    class Shop(LLMPlugin):
        name = "shop"

        async def buy(self, count: int) -> int:
            return count

    assert asyncio.run(Shop().call_tool("shop_buy", {"count": "2"})) == 2
    with pytest.raises(TypeError, match="buy cannot take `count`"):
        asyncio.run(Shop().call_tool("buy", {"count": "two"}))


def test_a_step_has_the_defaults_of_the_contract_also_when_it_comes_from_a_file():
    assert (Step().retry, Step().retry_delay, Step().timeout) == (0, 1.0, None)
    text = 'test: {name: x}\nsteps: [{tool: a}, {tool: b, retry: 3, retry_delay: 2, timeout: "5"}]\nverdict: checks\n'
    plain, full = engine.spec_of(engine.read_tests(text, Path("a.yaml")).tests[0]).steps
    assert (plain.retry, plain.retry_delay, plain.timeout) == (0, 1.0, None)
    assert (full.retry, full.retry_delay, full.timeout) == (3, 2.0, 5.0)
    spec = TestSpec.model_validate({"test": {"name": "x"}, "steps": [Step(tool="sleep", args={"seconds": 0}, retry=2)], "verdict": "checks"})  # fmt: skip
    assert engine.run_test(spec, Path("tests/llm/x.yaml")).verdict == "PASS"
    engine.close()
