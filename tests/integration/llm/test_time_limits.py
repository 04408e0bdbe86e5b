"""The time of a test is a limit and not a wish, whether anybody watches or not; and no process outlives its test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from local_api import Api
from processes import is_alive, is_group_alive, soon
from stopwatch import Stopwatch
from yaml_project import DIARY, WAYS, YamlProject

pytestmark = pytest.mark.integration

LIMIT = 1.0
#: How late it may be.
LATE = 1.0

#: A server that speaks the protocol's first words, and then neither answers nor ends. It starts a process of its own kind.
STUBBORN = """
import json, os, signal, subprocess, sys, time
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(each, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
with open("numbers", "a") as file: file.write(f"{os.getpid()} {child.pid}\\n")
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        about = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": about}), flush=True)
    elif message.get("method") == "tools/list":
        tool = {"name": "wait", "inputSchema": {"type": "object"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [tool]}}), flush=True)
    elif message.get("method") == "tools/call":
        print("calling", file=sys.stderr, flush=True)
    elif "id" in message:
        said = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": said}), flush=True)
time.sleep(120)
"""

#: What takes too long.
STEPS = {
    "sleep": "- {tool: sleep, args: {seconds: 60}}",
    "http": "- {tool: http_get, args: {url: 'URL/hang'}}",
    "plugin": "- {tool: diary_hang}",
    "plugin that blocks": "- {tool: diary_block}",
    "server": "- {tool: wait}",
    "group": "- {repeat: 1000, steps: [{tool: sleep, args: {seconds: 0.05}}]}",
    "retries": "- {tool: diary_fail, retry: 50, retry_delay: 0.05}",
    "checkpoint after it": "- {tool: sleep, args: {seconds: 60}}\n  - {tool: diary_write, args: {word: never}}",
}


@pytest.fixture(scope="module")
def api():
    served = Api()
    yield served
    served.close()


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    made.plugin("diary", DIARY)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    return made


def written(step: str, api: Api, more: str = "") -> str:
    servers = f"servers: {{s: {{command: ['{sys.executable}', stubborn.py], protocol: '2025-11-25'}}}}\n"
    return (
        servers if "wait" in step else ""
    ) + f"test: {{name: a, timeout: {LIMIT:.0f}}}\nsteps:\n  {step.replace('URL', api.url)}\nverdict: checks\n{more}"


def seconds_of(way: str, out: str) -> float:
    """How long the test took, by what the product says of it."""
    found = re.search(r"\(tests/llm/a\.yaml\S*, ([\d.]+) s\)" if way.startswith("command") else r"([\d.]+)s call", out)
    assert found, out
    return float(found[1])


#: Whoever watches is told of each step, so what makes many steps is watched, and what makes none.
WATCHED = ("sleep", "plugin that blocks", "server", "group")


@pytest.mark.parametrize(
    ("step", "way"), [(step, way) for step in STEPS for way in WAYS if step in WATCHED or "verbose" not in way]
)
def test_it_holds(project, api, step, way):
    project.yaml(written(STEPS[step], api))
    with Stopwatch() as watch:
        code, out = project.run(way, *(["--durations=0", "-vv"] if way.startswith("pytest") else []))
    assert code == 1, out
    assert "Test timed out after 1 seconds" in out
    assert project.left() == []
    took = seconds_of(way, out)
    assert LIMIT - 0.05 <= took < LIMIT + LATE + min(watch.lag, LATE), out
    assert "never" not in project.diary


@pytest.mark.parametrize("way", ["pytest", "command"])
def test_the_limit_of_whoever_runs_it_stands_above(project, api, way):
    project.yaml(written(STEPS["sleep"], api).replace("timeout: 1", "timeout: 90"))
    code, out = project.run(way, *(["--llm-timeout", "1"] if way == "pytest" else ["--timeout", "1"]))
    assert code == 1 and "Test timed out after 1 seconds" in out, out


@pytest.mark.parametrize("way", ["pytest", "command"])
def test_a_stubborn_server_is_gone_with_its_children(project, api, way):
    project.yaml(written(STEPS["server"], api))
    project.run(way)
    numbers = [int(number) for number in (project.folder / "numbers").read_text().split()]
    assert numbers
    assert soon(lambda: not any(is_alive(number) for number in numbers))
    assert not is_group_alive(numbers[0])


@pytest.mark.parametrize("way", ["pytest", "command"])
@pytest.mark.parametrize("ending", ["passes", "times out"])
def test_what_a_plugin_started_is_gone(project, api, way, ending):
    further = (
        "- {tool: sleep, args: {seconds: 60}}"
        if ending == "times out"
        else "- {tool: assert_true, args: {condition: true}}"
    )
    project.yaml(written(f"- {{tool: diary_leave}}\n  {further}", api))
    code, out = project.run(way)
    assert code == (1 if ending == "times out" else 0), out
    (line,) = [line for line in project.diary if line.startswith("left")]
    host, own, bare = (int(word) for word in line.split()[1:])
    assert soon(lambda: not any(is_alive(number) for number in (host, own, bare)))
    assert not is_group_alive(host)
    assert project.left() == []


def test_the_time_of_teardown_is_its_own(project, api):
    project.yaml(
        written(
            "- {tool: sleep, args: {seconds: 60}}", api, "teardown: [{tool: sleep, args: {seconds: 60}}]\n"
        ).replace("timeout: 1", "timeout: 1, teardown_timeout: 1")
    )
    with Stopwatch() as watch:
        code, out = project.run("command")
    assert code == 1, out
    assert 1.9 < seconds_of("command", out) < 2 * (LIMIT + LATE) + min(watch.lag, LATE), out
    assert "had not ended when the 1 s of teardown were over" in out


def test_nothing_is_left_of_a_program_that_is_killed(project):
    """SIGKILL cannot be caught: the host of plugins sees its input end, and goes."""
    project.yaml("test: {name: a}\nsteps: [{tool: diary_hang}]\nverdict: checks\n")
    process = project.begin("pytest")
    project.wait_for("hanging")
    process.kill()
    process.communicate(timeout=20)
    assert project.left() == [], [Path(f"/proc/{it}/cmdline").read_bytes() for it in project.left()]
