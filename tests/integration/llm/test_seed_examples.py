"""The examples of the reference that YAML tests come from, as they are written there, against an API on this machine."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import pytest
from local_api import Api
from projects import SUPPORT
from scripted_judge import alarmed, content, silent
from yaml_project import YamlProject

from unitai.llm import Verdict, engine, run_llm_test

pytestmark = pytest.mark.integration

HEALTH = """\
test:
  name: "API Health Check"
  description: "Verify the API is responding"
  timeout: 30

setup:
  - tool: server_start
    args: {port: 8080}

steps:
  - name: "Check health"
    tool: http_get
    args: {url: "http://localhost:8080/health"}
    expect: "Status should be 200"

teardown:
  - tool: server_stop

verdict:
  pass_if: "Health endpoint returns 200"
  fail_if: "Health endpoint is unreachable"
"""

#: Steps that stand alone in the reference, by their names here.
STEPS = {
    "simple": """\
- name: "Fetch users"
  tool: http_get
  args:
    url: "http://localhost:8000/users"
  expect: "Should return user list"
""",
    "analysis": """\
- name: "Verify pagination"
  tool: api_get_users
  args:
    page: 1
    limit: 10
  expect: "Should return exactly 10 users"
  analyze: |
    Check the response:
    1. Does `data.length` equal 10?
    2. Is `meta.page` equal to 1?
    3. Is `meta.total` greater than 10?
""",
    "nested": """\
- name: "Zoom cycle test"
  repeat: 3
  steps:
    - tool: chart_test_zoom_in
      args: {factor: 0.5}
      save_as: zoom_state
    - tool: chart_test_zoom_out
      args: {factor: 2.0}
""",
    "http_get": """\
- tool: http_get
  args:
    url: "http://localhost:8000/api/users"
    headers:
      Authorization: "Bearer token123"
  expect: "Status code should be 200"
""",
    "http_post": """\
- tool: http_post
  args:
    url: "http://localhost:8000/api/users"
    data:
      name: "John Doe"
      email: "john@example.com"
  expect: "Should create user and return 201"
""",
    "sleep": """\
- tool: sleep
  args:
    seconds: 2.5
  expect: "Should wait 2.5 seconds"
""",
    "compare_values": """\
- tool: compare_values
  args:
    value1: 100.5
    value2: 100.0
    tolerance: 0.01  # 1% tolerance
  expect: "Values should be within 1% of each other"
""",
}

VERDICT = """\
verdict:
  pass_if: "All API endpoints return valid responses with correct data types"
  fail_if: "Any endpoint returns 500, times out, or returns malformed data"
"""

TAGS = """\
test:
  name: "Slow Test"
  tags: ["slow", "integration"]
"""

#: The tools that the examples take from plugins. The reference imports its own package.
PLUGINS = {
    "server": """
from llm_pytest import LLMPlugin
from local_api import Api
from projects import SUPPORT

class Server(LLMPlugin):
    name = "server"
    api = None
    async def start(self, port: int) -> dict:
        '''Start the API.'''
        self.api = Api(port)
        return {"port": self.api.port}
    async def stop(self) -> dict:
        '''Stop the API.'''
        self.api.close()
        self.api = None
        return {"stopped": True}
    async def cleanup(self):
        if self.api is not None: self.api.close()
""",
    "api": """
import json, urllib.request
from llm_pytest import LLMPlugin

class Users(LLMPlugin):
    name = "api"
    async def get_users(self, page: int, limit: int = 20) -> dict:
        '''A page of users.'''
        with urllib.request.urlopen(f"http://localhost:8000/users?page={page}&limit={limit}") as answer:
            return json.load(answer)
""",
    "chart": """
from llm_pytest import LLMPlugin

class Chart(LLMPlugin):
    name = "chart_test"
    def __init__(self): self.width = 8.0
    async def zoom_in(self, factor: float) -> dict:
        before, self.width = self.width, self.width * factor
        return {"before": before, "after": self.width}
    async def zoom_out(self, factor: float) -> dict:
        before, self.width = self.width, self.width * factor
        return {"before": before, "after": self.width}
""",
}


class Ran(NamedTuple):
    """A test, and what came of it."""

    verdict: Verdict
    #: What the tools answered, in order.
    outputs: list[Any]


@pytest.fixture
def project(tmp_path, monkeypatch):
    # A plugin starts the API.
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    made = YamlProject(tmp_path)
    for name, text in PLUGINS.items():
        made.plugin(name, text)
    yield made
    engine.close()


@pytest.fixture
def api():
    """What the examples find at port 8000. Fails where somebody else has the port."""
    served = Api(8000)
    yield served
    served.close()


def whole(step: str, head: str = 'test: {name: "An example"}\n') -> str:
    """A test around a step."""
    return f"{head}\nsteps:\n{textwrap.indent(step, '  ')}\n{VERDICT}"


def run(project: YamlProject, text: str, judge: Any = None) -> Ran:
    """Runs it from a program."""
    path = project.yaml(text)
    reading = engine.read_tests(text, path)
    assert not reading.errors and not reading.warnings
    verdict = run_llm_test(engine.spec_of(reading.tests[0]), path, judge=judge)
    return Ran(verdict, [step.tool_output for step in verdict.steps])


class TestHealthCheck:
    def test_it_passes_and_the_server_is_stopped(self, project):
        ran = run(project, HEALTH, content)
        assert ran.verdict.verdict == "PASS", ran.verdict
        assert [(step.path, step.status) for step in ran.verdict.steps] == [
            ("setup[0]", "pass"),
            ("steps[0]", "pass"),
            ("teardown[0]", "pass"),
        ]
        assert ran.outputs[1]["status_code"] == 200
        Api(8080).close()

    def test_it_fails_where_the_endpoint_is_not_there(self, project):
        ran = run(
            project, HEALTH.replace("  - tool: server_start\n    args: {port: 8080}\n", "").replace("setup:\n", "")
        )
        assert ran.verdict.verdict == "FAIL"
        assert "localhost:8080" in ran.verdict.reason

    @pytest.mark.parametrize("way", ["pytest", "command"])
    def test_without_a_judge_it_is_unclear(self, project, way):
        project.yaml(HEALTH)
        code, out = project.run(way, "-rs") if way == "pytest" else project.run(way)
        assert code == 0, out
        assert "3 questions are left that only a judge can answer" in out
        assert ("1 skipped" if way == "pytest" else "1 unclear") in out

    def test_pytest_passes_it(self, project):
        project.judged_by(content)
        project.yaml(HEALTH)
        code, out = project.run("pytest", "-v")
        assert code == 0, out
        assert "tests/llm/a.yaml::API Health Check PASSED" in out

    def test_pytest_fails_it_with_the_words_of_the_judge(self, project):
        project.judged_by(alarmed)
        project.yaml(HEALTH)
        code, out = project.run("pytest")
        assert code == 1, out
        assert "FAIL: fail_if holds: Health endpoint is unreachable: so it says" in out
        assert "✓ Check health" in out


class TestSteps:
    @pytest.mark.parametrize("name", STEPS)
    def test_each_passes_when_the_judge_is_content(self, project, api, name):
        ran = run(project, whole(STEPS[name]), content)
        assert ran.verdict.verdict == "PASS", ran.verdict
        assert {step.status for step in ran.verdict.steps} == {"pass"}

    @pytest.mark.parametrize("name", STEPS)
    def test_each_is_unclear_when_nobody_is_there_to_judge(self, project, api, name):
        assert run(project, whole(STEPS[name])).verdict.verdict == "UNCLEAR"

    def test_what_a_judge_does_not_answer_is_unclear(self, project, api):
        ran = run(project, whole(STEPS["simple"]), silent)
        assert ran.verdict.verdict == "UNCLEAR"
        assert "not decided: Should return user list: no answer" in ran.verdict.reason

    def test_users_are_fetched(self, project, api):
        ran = run(project, whole(STEPS["simple"]), content)
        assert ran.outputs[0]["status_code"] == 200
        assert ran.outputs[0]["body"].startswith('{"data": [{"id": 1, "name": "user 1"}')
        assert [asked[:2] for asked in api.asked] == [("GET", "/users")]

    def test_a_page_has_ten_and_the_analysis_is_asked(self, project, api):
        asked = []

        def judge(name, description, questions, evidence):
            asked.extend(it["text"] for it in questions)
            return content(name, description, questions, evidence)

        ran = run(project, whole(STEPS["analysis"]), judge)
        assert len(ran.outputs[0]["data"]) == 10
        assert ran.outputs[0]["meta"] == {"page": 1, "total": 25}
        assert any("exactly 10 users" in text for text in asked)
        assert any("Is `meta.total` greater than 10?" in text for text in asked)

    def test_the_zoom_cycle_is_six_calls_in_order(self, project):
        ran = run(project, whole(STEPS["nested"]), content)
        leaves = [step for step in ran.verdict.steps if step.path.count("steps") == 2]
        assert [step.path for step in leaves] == [
            f"steps[0]#{turn}.steps[{place}]" for turn in (1, 2, 3) for place in range(2)
        ]
        assert [step.tool_output["after"] for step in leaves] == [4.0, 8.0] * 3

    def test_headers_are_sent(self, project, api):
        ran = run(project, whole(STEPS["http_get"]), content)
        assert ran.outputs[0]["status_code"] == 200
        assert api.asked[0][2]["authorization"] == "Bearer token123"

    def test_a_user_is_made(self, project, api):
        ran = run(project, whole(STEPS["http_post"]), content)
        assert ran.outputs[0]["status_code"] == 201
        assert set(ran.outputs[0]) == {"status_code", "body", "headers"}
        assert api.asked[0][3] == {"name": "John Doe", "email": "john@example.com"}
        assert api.users[-1]["name"] == "John Doe"

    def test_it_waits(self, project):
        ran = run(project, whole(STEPS["sleep"]), content)
        assert ran.outputs[0]["slept"] == pytest.approx(2.5, abs=1.0)
        assert ran.verdict.seconds > 2.4

    def test_values_within_the_tolerance_are_equal(self, project):
        ran = run(project, whole(STEPS["compare_values"]), content)
        assert ran.outputs[0]["equal"] is True
        assert set(ran.outputs[0]) == {"equal", "value1", "value2", "difference_percent", "tolerance_percent"}
        assert ran.outputs[0]["difference_percent"] == pytest.approx(0.5)
        assert ran.outputs[0]["tolerance_percent"] == pytest.approx(1.0)

    def test_values_outside_of_it_need_no_judge_to_fail(self, project):
        ran = run(project, whole(STEPS["compare_values"].replace("0.01", "0.001")), content)
        assert ran.verdict.verdict == "FAIL"


class TestTags:
    def test_tags_choose(self, project):
        project.judged_by(content)
        project.yaml(whole(STEPS["compare_values"], TAGS))
        project.yaml(whole(STEPS["compare_values"]), "b.yaml")
        code, out = project.run("pytest", "tests/llm/", "--strict-markers", "-m", "not slow")
        assert code == 0 and "1 passed, 1 deselected" in out, out
        code, out = project.run("pytest", "tests/llm/", "-v", "-m", "slow and integration")
        assert "::Slow Test PASSED" in out
