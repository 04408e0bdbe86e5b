"""Other plugins of pytest beside ours: all of them at once, as in the projects of most people."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import companion_plugins
import pytest
from projects import SUPPORT, Project

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent

AGENT = """
import asyncio, itertools, pathlib, pytest, time
from unitai import MockToolkit

def agent(input, tools):
    tools["lookup_order"](order_id=input)
    return f"Order {input} is on its way."

async def async_agent(input, tools):
    await asyncio.sleep(0)
    return agent(input, tools)

def toolkit():
    made = MockToolkit()
    made.mock("lookup_order", return_value={"status": "sent"})
    return made
"""


@pytest.fixture(scope="module")
def companions():
    """The folder with the other plugins."""
    return companion_plugins.installed()


@pytest.fixture
def project(tmp_path, companions):
    made = Project(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n", encoding="utf-8")
    plain = made.environment
    made.environment = lambda **more: plain(**{"PYTHONPATH": f"{SUPPORT}:{companions}", "PYTEST_ADDOPTS": "", **more})
    return made


def test_all_of_them_are_there(project):
    project.write(test_it="def test_it():\n    pass\n")
    done = project.pytest()
    for name in ("anyio", "asyncio", "cov", "randomly", "rerunfailures", "timeout", "unitai", "xdist"):
        assert name in done.stdout.partition("collected")[0], done.stdout


def test_asyncio_and_anyio(project):
    project.write(
        test_it=AGENT
        + """
@pytest.mark.asyncio
async def test_asyncio(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={})
    result = await mock_toolkit.arun(async_agent, "1")
    assert result.tool_was_called("lookup_order")

@pytest.mark.asyncio
async def test_a_sync_run_in_a_loop(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={})
    assert mock_toolkit.run(async_agent, "1").tool_was_called("lookup_order")

@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_anyio(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={})
    result = await mock_toolkit.arun(async_agent, "1")
    assert result.tool_was_called("lookup_order")

@pytest.mark.asyncio
@pytest.mark.unitai_statistical(n=3, threshold=1.0)
async def test_repeated(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={})
    assert (await mock_toolkit.arun(async_agent, "1")).succeeded

@pytest.mark.asyncio
async def test_fails(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={})
    result = await mock_toolkit.arun(async_agent, "1")
    assert result.tool_was_called("refund")
"""
    )
    done = project.unitai("test", "--keep-going", "-W", "ignore::unitai.StatisticsWarning")
    assert (done.returncode, done.stderr) == (1, "")
    assert "4 passed, 1 failed in" in done.stdout, done.stdout
    assert "Actual trajectory:" in done.stdout


def test_cov_counts_lines_of_agents_that_run_on_other_threads(project):
    project.write(
        my_agent="def agent(input, tools):\n    tools['lookup_order'](id=input)\n    return 'done'\n",
        test_it="from my_agent import agent\ndef test_it(mock_toolkit):\n"
        "    mock_toolkit.mock('lookup_order', return_value=1)\n    assert mock_toolkit.run(agent, 'x').succeeded\n",
    )
    done = project.unitai("test", "--cov=my_agent", "--cov-report=term", "--cov-fail-under=100")
    assert done.returncode == 0, done.stdout
    assert "my_agent.py" in done.stdout and "100%" in done.stdout


def test_a_coverage_that_is_too_low_fails_the_run(project):
    project.write(my_agent="def agent():\n    return 1\n", test_it="import my_agent\ndef test_it():\n    pass\n")
    done = project.unitai("test", "--cov=my_agent", "--cov-fail-under=100")
    assert done.returncode == 1
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_timeout_ends_a_test_and_the_reports_are_whole(project, method):
    project.write(
        test_it=AGENT
        + """
def test_a():
    assert toolkit().run(agent, "1").succeeded

def test_b():
    time.sleep(60)
"""
    )
    done = project.unitai("test", "-p", "no:randomly", "--timeout=1", f"--timeout-method={method}")
    assert done.returncode == 1
    assert ("1 passed, 1 failed in" if method == "signal" else "1 passed, 1 error in") in done.stdout, done.stdout
    red = [
        case.get("name")
        for case in ElementTree.parse(project.junit).iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    assert "test_b" in red and "test_a" not in red


def test_a_timeout_reaches_an_agent(project):
    project.write(
        test_it=AGENT
        + """
def slow(input, tools):
    tools["lookup_order"](order_id=input)
    time.sleep(60)

def test_it():
    toolkit().run(slow, "1")
"""
    )
    done = project.unitai("test", "--timeout=1", "--timeout-method=signal")
    assert done.returncode == 1
    assert "1 failed in" in done.stdout and "Timeout" in done.stdout


def test_randomly_shuffles_and_nothing_depends_on_it(project):
    tests = "".join(f"def test_{n}():\n    assert toolkit().run(agent, '{n}').succeeded\n\n" for n in range(20))
    project.write(test_it=AGENT + tests)
    orders = set()
    for seed in ("1", "2"):
        done = project.unitai("test", "-p", "randomly", f"--randomly-seed={seed}")
        assert "20 passed in" in done.stdout, done.stdout
        orders.add(tuple(event["test"] for event in project.events if event["event"] == "test_finished"))
    assert len(orders) == 2


def test_rerunfailures_counts_the_last_try(project):
    project.write(
        test_it=AGENT
        + """
turns = itertools.count()

def test_flaky():
    result = toolkit().run(agent, "1")
    assert next(turns) == 2 and result.succeeded

def test_broken():
    assert toolkit().run(agent, "1").tool_was_called("refund")
"""
    )
    done = project.unitai("test", "--keep-going", "--reruns=2", "-p", "no:randomly")
    assert done.returncode == 1
    assert "1 passed, 1 failed in" in done.stdout, done.stdout
    flaky, broken = project.finished("test_flaky"), project.finished("test_broken")
    assert (flaky["outcome"], flaky["reruns"], broken["outcome"], broken["reruns"]) == ("passed", 2, "failed", 2)
    assert "tried 3 times" in project.unitai("results").stdout


def test_xdist_and_all_the_others(project):
    project.write(
        test_it=AGENT
        + """
@pytest.mark.parametrize("n", range(12))
def test_many(n):
    assert toolkit().run(agent, str(n)).succeeded

@pytest.mark.asyncio
async def test_asyncio():
    assert (await toolkit().arun(async_agent, "1")).succeeded
"""
    )
    done = project.unitai("test", "-n", "2", "--cov=test_it", "--timeout=60", "--reruns=1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "13 passed in" in done.stdout
    workers = {event["worker"] for event in project.events if event["event"] == "test_finished"}
    assert workers == {"gw0", "gw1"}


def test_every_process_runs_every_test(project):
    project.write(
        test_it=AGENT + "def test_it():\n    import os\n    assert os.environ['PYTEST_XDIST_WORKER'] == 'gw0'\n"
    )
    done = project.unitai("test", "--keep-going", "--dist", "each", "--tx", "2*popen")
    assert done.returncode == 1
    assert "1 passed, 1 failed in" in done.stdout, done.stdout


CONTRACT = """
import asyncio, pytest
from unitai.contract import Contract

class Client:
    def __init__(self): self.loop, self.closed_on = None, None

class ClientContract(Contract[Client]):
    async def cleanup(self, subject):
        # A connection is of the loop that it was opened on.
        assert subject.loop is asyncio.get_running_loop()

    async def test_it_speaks(self, subject):
        subject.loop = asyncio.get_running_loop()
"""


@pytest.mark.parametrize("mark", ["asyncio", "anyio", "asyncio(loop_scope='module')", "asyncio(loop_scope='session')"])
@pytest.mark.parametrize("subject", ["sync", "async"])
def test_an_async_cleanup_runs_on_the_loop_of_its_test(project, mark, subject):
    fixture = "@pytest.fixture\n    def subject(self): return Client()"
    if subject == "async":
        fixture = "@pytest_asyncio.fixture\n    async def subject(self): return Client()"
    project.write(
        test_it=f"import pytest_asyncio\n{CONTRACT}\n@pytest.mark.{mark}\n"
        f"class TestClient(ClientContract):\n    {fixture}\n"
        "    @pytest.fixture\n    def anyio_backend(self): return 'asyncio'\n"
    )
    done = project.pytest()
    assert "1 passed" in done.stdout and "error" not in done.stdout, done.stdout


def test_an_async_cleanup_runs_on_the_loop_that_the_settings_give_to_tests(project):
    project.write(
        test_it=CONTRACT + "@pytest.mark.asyncio\nclass TestClient(ClientContract):\n"
        "    @pytest.fixture\n    def subject(self): return Client()\n"
    )
    done = project.pytest("-o", "asyncio_default_test_loop_scope=session")
    assert "1 passed" in done.stdout and "error" not in done.stdout, done.stdout


def test_the_snapshots_of_another_plugin_stay_its_own(project):
    project.write(
        test_it="def test_theirs(snapshot):\n    assert {'a': 1} == snapshot\n"
        "def test_ours(unitai_snapshot):\n    unitai_snapshot.assert_match('x', 'a.txt')\n"
    )
    done = project.pytest("--snapshot-update", "--unitai-snapshot-update")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.folder / "__snapshots__" / "test_it.ambr").exists()
    assert (project.folder / "snapshots" / "test_it" / "test_ours" / "a.txt").read_text(encoding="utf-8") == "x\n"
    assert project.pytest().returncode == 0


def test_the_example_of_a_snapshot_passes_where_another_plugin_has_the_short_names(project):
    assert project.unitai("init", "--layers").returncode == 0
    done = project.pytest("tests/regression")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
