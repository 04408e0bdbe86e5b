"""Settings as a user meets them: `unitai config`, and pytest whose parts obey what the project's file, the environment and
the command line say.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"


class Project:
    """A folder with a project's file, and what is started in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("pytest.ini", "[pytest]\n")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def start(self, *command: str, cwd: str = ".", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder / cwd,
            env=clean_environment(**{"NO_COLOR": "1", **variables}),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def config(self, *options: str, cwd: str = ".", **variables: str) -> subprocess.CompletedProcess[str]:
        return self.start(str(COMMAND), "config", *options, cwd=cwd, **variables)

    def shown(self, **variables: str) -> dict[str, tuple[object, str]]:
        """What `unitai config` says about each setting: its value and its source."""
        done = self.config("--json", **variables)
        assert (done.returncode, done.stderr) == (0, "")
        return {name: (told["value"], told["source"]) for name, told in json.loads(done.stdout)["settings"].items()}

    def pytest(self, suite: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        self.write("test_suite.py", suite)
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py", *options)
        return self.start(*command, **variables)

    def passes(self, suite: str, *options: str, **variables: str) -> None:
        done = self.pytest(suite, *options, **variables)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


#: Each option of `unitai test` that is a setting, with the setting and its value.
FLAGS = {
    "--model": ("gpt-4o-mini", "model_override", "gpt-4o-mini"),
    "--budget": ("2.50", "cost_budget_per_suite", 2.5),
    "--live-models": ("never", "live_models", "never"),
    "--n": ("4", "default_n", 4),
    "--threshold": ("0.5", "default_threshold", 0.5),
    "--record": (None, "cache_mode", "record"),
}


@pytest.mark.parametrize("flag", FLAGS)
def test_every_option_reaches_the_processes_that_a_test_starts(project, flag):
    text, name, value = FLAGS[flag]
    project.write("child.py", f"from unitai import UnitAIConfig\nprint(repr(UnitAIConfig.load().{name}))\n")
    suite = f"""
        import os, subprocess, sys

        def test_it():
            told = subprocess.run([sys.executable, "child.py"], capture_output=True, text=True, check=True)
            assert told.stdout == "{value!r}\\n"
    """
    project.write("test_suite.py", dedent(suite))
    # What the environment says otherwise, the command line is heard before.
    variables = {"UNITAI_CACHE": "auto", "UNITAI_MODEL_OVERRIDE": "another", "UNITAI_COST_BUDGET_PER_SUITE": "9"}
    done = project.start(str(COMMAND), "test", *filter(None, (flag, text)), **variables)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_option_of_pytest_reaches_them_too_and_is_taken_back(project):
    suite = """
        import os

        import pytest

        def test_it(monkeypatch):
            assert os.environ["UNITAI_MODEL_OVERRIDE"] == "outer"
            inner = pytest.main(["-q", "-p", "no:cacheprovider", "--unitai-model=inner", "inner.py"])
            assert inner == 0
            assert os.environ["UNITAI_MODEL_OVERRIDE"] == "outer"
    """
    project.write(
        "inner.py", "import os\n\ndef test_it():\n    assert os.environ['UNITAI_MODEL_OVERRIDE'] == 'inner'\n"
    )
    project.passes(dedent(suite), "--unitai-model=outer")


def test_the_budget_of_repeated_tests_is_a_setting_with_a_default(project):
    assert project.shown()["cost_budget_per_repeated_test"] == (5.0, "default")
    assert re.search(r"\ncost_budget_per_repeated_test +5 +default\n", project.config().stdout)
    project.write("unitai.toml", "[cost_budget]\nper_repeated_test = 0.50\n")
    assert project.shown()["cost_budget_per_repeated_test"] == (0.5, "file")
    suite = """
        import pytest
        from unitai import CostLimitExceeded, MockToolkit, StatisticalRunner

        def dear():
            toolkit = MockToolkit()
            toolkit.run(lambda input, tools: toolkit.record_llm_call("my-own", 1, 1, cost=0.10), "x")

        def test_it():
            assert StatisticalRunner().budget == 0.50
            assert StatisticalRunner(budget=2).budget == 2.0
            with pytest.raises(CostLimitExceeded, match="10 runs of dear would cost about"):
                StatisticalRunner(n=10).run(dear)
    """
    project.passes(dedent(suite))


class TestCommand:
    def test_without_a_file_all_is_default_and_it_says_so(self, project):
        done = project.config()
        assert (done.returncode, done.stderr) == (0, "")
        head, _, *rows = done.stdout.splitlines()
        assert head.startswith("file: none (no pyproject.toml with [tool.unitai]")
        assert len(rows) == 47
        assert all(row.endswith("  default") for row in rows)
        assert re.search(r"^strict_mocks +true ", done.stdout, re.M)
        assert "\x1b" not in done.stdout

    def test_every_value_comes_with_its_source_in_columns(self, project):
        project.write("pyproject.toml", "[tool.unitai]\ndefault_n = 20\n\n[tool.unitai.cache]\nttl_hours = 24\n")
        done = project.config(UNITAI_MAX_WORKERS="2")
        assert (done.returncode, done.stderr) == (0, "")
        head, _, *rows = done.stdout.splitlines()
        assert head == "file: pyproject.toml"
        told = {row.split()[0]: row.split()[1:] for row in rows}
        assert told["default_n"] == ["20", "pyproject.toml:2:1"]
        assert told["cache_ttl_hours"] == ["24", "pyproject.toml:5:1"]
        assert told["max_workers"] == ["2", "UNITAI_MAX_WORKERS"]
        assert told["cost_budget_per_test"] == ["none", "(no", "limit)", "default"]
        columns = {row.rindex("  ") for row in rows}
        assert len(columns) == 1, done.stdout

    def test_for_programs(self, project):
        project.write("unitai.toml", 'verbose = true\n[prices."m"]\ninput = 1\noutput = 2.5\n')
        done = project.config("--json", UNITAI_CACHE="replay", UNITAI_STRICT_MOCK="1")
        assert done.returncode == 0
        told = json.loads(done.stdout)
        assert told["file"] == str(project.folder / "unitai.toml")
        assert told["settings"]["verbose"] == {
            "value": True,
            "source": "file",
            "variable": "UNITAI_VERBOSE",
            "file": {"path": str(project.folder / "unitai.toml"), "line": 1, "column": 1},
        }
        assert told["settings"]["cache_mode"] == {
            "value": "replay",
            "source": "environment",
            "variable": "UNITAI_CACHE",
        }
        assert told["settings"]["prices"]["value"] == {"m": {"input": 1.0, "output": 2.5}}
        assert told["settings"]["cache_directory"]["value"] == str(project.folder / ".unitai/cache")
        assert told["unknown_variables"] == [{"name": "UNITAI_STRICT_MOCK", "nearest": "UNITAI_STRICT_MOCKS"}]

    def test_the_path_of_the_file(self, project):
        assert project.config("--path").stdout.startswith("none: ")
        project.write("unitai.toml", "")
        project.write("a/b/x", "")
        assert project.config("--path", cwd="a/b").stdout == f"{project.folder / 'unitai.toml'}\n"
        project.write("a/pyproject.toml", "[tool.unitai]\n")
        assert project.config("--path", cwd="a/b").stdout == f"{project.folder / 'a/pyproject.toml'}\n"

    def test_a_variable_that_is_no_setting_is_named_and_no_error(self, project):
        done = project.config(UNITAI_DEFUALT_N="5", UNITAI_XYZZY="5")
        assert done.returncode == 0
        assert done.stderr.splitlines() == [
            "unitai: the environment variable UNITAI_DEFUALT_N is no setting; perhaps UNITAI_DEFAULT_N",
            "unitai: the environment variable UNITAI_XYZZY is no setting",
        ]
        (default_n,) = (line for line in done.stdout.splitlines() if line.startswith("default_n "))
        assert default_n.split() == ["default_n", "10", "default"]

    def test_its_help_has_examples(self, project):
        done = project.config("--help")
        assert done.returncode == 0
        assert "unitai config --json" in done.stdout
        assert project.config("--json", "--path").returncode == 2

    def test_a_secret_in_the_file_is_not_shown(self, project):
        key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
        project.write("unitai.toml", f'adapter = "{key}"\n')
        for options in ([], ["--json"]):
            assert key not in project.config(*options).stdout
        project.write("unitai.toml", f'default_n = "{key}"\n')
        assert key not in project.config().stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
    def test_colour_for_a_terminal_only(self, project):
        import pty

        def look(**variables: str) -> bytes:
            main, other = pty.openpty()
            environment = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
            environment = {**environment, "TERM": "xterm", **variables}
            subprocess.run(
                [str(COMMAND), "config"], cwd=project.folder, stdout=other, check=True, timeout=60, env=environment
            )
            os.close(other)
            seen = b""
            try:
                while part := os.read(main, 65536):
                    seen += part
            except OSError:
                pass
            os.close(main)
            return seen

        assert b"\x1b[2m" in look()
        assert b"\x1b" not in look(NO_COLOR="1")
        assert b"\x1b" not in look(TERM="dumb")


class TestWrong:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("defualt_n = 5\n", ["unitai.toml:1:1", "`defualt_n`", "perhaps `default_n`"]),
            ("[cache]\nmode = 'repaly'\n", ["unitai.toml:2:8", '"repaly"', "perhaps `replay`"]),
            ("default_threshold = 95\n", ["unitai.toml:1:21", "is 95", "a number from 0 to 1"]),
            ("[lynt]\n", ["unitai.toml:1:2", "[lynt]"]),
            ("cache_mode = 'auto'\ncache.mode = 'auto'\n", ["unitai.toml:2:7", "both given (line 1)"]),
            ("timeout = \n", ["unitai.toml:1:11", "a file in TOML"]),
        ],
    )
    def test_is_told_by_the_command_and_by_pytest_before_any_test_runs(self, project, text, said):
        project.write("unitai.toml", text)
        done = project.config()
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert all(words in done.stderr for words in said), done.stderr
        done = project.pytest("def test_a(): open('ran', 'w')\n")
        assert done.returncode == 4
        assert all(words in done.stderr for words in said), done.stderr
        assert "Traceback" not in done.stderr
        assert not (project.folder / "ran").exists()

    def test_a_file_that_is_no_text(self, project):
        (project.folder / "unitai.toml").write_bytes(b"adapter = 'caf\xe9'\n")
        assert project.config("--path").stdout == f"{project.folder / 'unitai.toml'}\n"
        for done in (project.config(), project.pytest("def test_a(): pass\n")):
            assert done.returncode in (2, 4)
            assert "unitai.toml:1:15: the byte 0xe9 is no text" in done.stderr

    def test_all_of_it_is_told_at_once(self, project):
        project.write("unitai.toml", "zzz = 1\ndefault_n = 0\naaa = 1\n")
        done = project.config(UNITAI_TIMEOUT="soon")
        assert (done.returncode, done.stdout) == (2, "")
        places = [line.split(": ")[1].rpartition("/")[2] for line in done.stderr.splitlines()]
        assert places == [
            "unitai.toml:1:1",
            "unitai.toml:2:13",
            "unitai.toml:3:1",
            "the environment variable UNITAI_TIMEOUT",
        ]

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
    def test_a_file_that_may_not_be_read(self, project):
        project.write("unitai.toml", "")
        (project.folder / "unitai.toml").chmod(0)
        done = project.config()
        assert done.returncode == 2
        assert "cannot be read" in done.stderr

    def test_a_variable(self, project):
        done = project.pytest("def test_a(): pass\n", UNITAI_TIMEOUT="soon")
        assert done.returncode == 4
        assert "the environment variable UNITAI_TIMEOUT: it is `soon`" in done.stderr
        assert "a number of seconds above 0" in done.stderr

    def test_the_command_with_tests_comes_back_with_it(self, project):
        project.write("unitai.toml", "strict_mocks = 'yes'\n")
        project.write("test_a.py", "def test_a(): pass\n")
        done = project.start(str(COMMAND), "test")
        assert done.returncode in (2, 4)
        assert "unitai.toml:1:16" in done.stdout + done.stderr

    def test_outside_of_pytest_the_first_toolkit_raises(self, project):
        project.write("unitai.toml", "strict_mocks = 5\n")
        code = "import unitai\ntry:\n    unitai.MockToolkit()\nexcept unitai.ConfigError as error:\n    print(error)\n"
        done = project.start(sys.executable, "-c", code)
        assert "unitai.toml:1:16: `strict_mocks` is 5" in done.stdout, done.stderr


FILES = {
    "pyproject.toml": "[tool.unitai]\ndefault_n = 7\n[tool.unitai.cache]\nttl_hours = 3\n",
    "unitai.toml": "default_n = 7\n[cache]\nttl_hours = 3\n",
}


class TestSources:
    @pytest.mark.parametrize("file", FILES)
    def test_a_file_is_loaded_and_the_environment_comes_before_it(self, project, file):
        project.write(file, FILES[file])
        assert project.shown()["default_n"] == (7, "file")
        assert project.shown()["cache_ttl_hours"] == (3.0, "file")
        assert project.shown(UNITAI_DEFAULT_N="9")["default_n"] == (9, "environment")
        told = f"""
        def test_a(unitai_config):
            assert unitai_config.default_n == 7
            assert str(unitai_config.source("default_n")).endswith("{file}:{2 if file == "pyproject.toml" else 1}:1")
            assert unitai_config.path.name == "{file}"
        """
        project.passes(dedent(told))

    def test_the_command_line_comes_before_the_environment(self, project):
        project.write("unitai.toml", 'model_override = "of-the-file"\n')
        suite = "def test_a(unitai_config):\n    assert unitai_config.model_override == {!r}\n    assert str(unitai_config.source('model_override')) == {!r}\n"
        place = f"{project.folder / 'unitai.toml'}:1:1"
        project.passes(suite.format("of-the-file", place))
        variable = {"UNITAI_MODEL_OVERRIDE": "of-the-environment"}
        project.passes(suite.format("of-the-environment", "UNITAI_MODEL_OVERRIDE"), **variable)
        project.passes(suite.format("of-the-line", "--unitai-model"), "--unitai-model=of-the-line", **variable)

    def test_options_are_settings_of_the_session(self, project):
        suite = """
        def test_a(unitai_config):
            assert (unitai_config.cost_budget_per_suite, unitai_config.cache_mode) == (2.5, "off")
            assert unitai_config.source("cost_budget_per_suite") == ("command line", "--unitai-budget")
        """
        project.passes(dedent(suite), "--unitai-budget=2.50", "--unitai-cache=off")

    def test_what_a_test_does_to_the_environment_does_not_matter_and_processes_agree(self, project):
        suite = """
        import pytest
        from unitai import MockToolkit, UnitAIConfig, UnmockedToolError

        @pytest.mark.parametrize("n", range(4))
        def test_a(monkeypatch, unitai_config, n):
            monkeypatch.setenv("UNITAI_STRICT_MOCKS", "false")
            assert UnitAIConfig.load().strict_mocks is False
            assert unitai_config.strict_mocks is True
            with pytest.raises(UnmockedToolError):
                MockToolkit().run(lambda input, tools: tools["x"](), "")
        """
        project.passes(dedent(suite))
        project.passes(dedent(suite), "-n2")

    def test_pytest_inside_of_pytest_has_its_own(self, project):
        suite = """
        pytest_plugins = ["pytester"]

        def test_a(pytester, unitai_config):
            from unitai import MockToolkit
            assert unitai_config.max_tool_calls == 3
            pytester.makefile(".toml", unitai="max_tool_calls = 4")
            pytester.makepyfile(test_b="def test_b(unitai_config): assert unitai_config.max_tool_calls == 4")
            pytester.runpytest_inprocess("--rootdir=.").assert_outcomes(passed=1)
            from unitai.config import current_config
            assert current_config() == unitai_config
        """
        project.write("unitai.toml", "max_tool_calls = 3\n")
        project.passes(dedent(suite))


class TestObeyed:
    """What a setting says is what happens, and what a test says itself comes first."""

    def test_strict_mocks(self, project):
        suite = """
        import pytest
        from unitai import MockToolkit, UnmockedToolError, UnmockedToolWarning

        def agent(input, tools):
            return tools["unknown"]()

        def test_setting(mock_toolkit):
            with pytest.warns(UnmockedToolWarning):
                assert mock_toolkit.run(agent, "").output is None
            with pytest.warns(UnmockedToolWarning):
                assert MockToolkit().copy().run(agent, "").output is None

        def test_argument():
            with pytest.raises(UnmockedToolError):
                MockToolkit(strict=True).run(agent, "")
        """
        project.write("unitai.toml", "strict_mocks = false\n")
        project.passes(dedent(suite))
        project.write("unitai.toml", "strict_mocks = true\n")
        project.passes(dedent(suite), UNITAI_STRICT_MOCKS="0")
        assert project.pytest(dedent(suite)).returncode == 1

    def test_timeout_and_max_tool_calls(self, project):
        suite = """
        import time
        import pytest
        from unitai import AgentLoopDetectedError, AgentTimeoutError, MockToolkit, statistical

        def slow(input, tools):
            while True:
                time.sleep(0.01)

        async def slow_too(input, tools):
            import asyncio
            await asyncio.sleep(30)

        def loop(input, tools):
            for n in range(10):
                tools["look"](n=n)
            return "done"

        @pytest.mark.parametrize("agent", [slow, slow_too])
        def test_timeout(mock_toolkit, agent):
            runs = [
                mock_toolkit.run(agent, ""),
                mock_toolkit.run_callable(agent, ""),
                mock_toolkit.run_generic(lambda: agent("", {})),
            ]
            for result in runs:
                assert isinstance(result.error, AgentTimeoutError)
                assert "within 0.3 seconds" in str(result.error)
                assert result.duration < 10

        def test_timeout_awaited(mock_toolkit):
            import asyncio
            assert isinstance(asyncio.run(mock_toolkit.arun(slow_too, "")).error, AgentTimeoutError)

        @statistical(n=2, threshold=1.0)
        def test_timeout_of_repeated_tests(mock_toolkit):
            assert isinstance(mock_toolkit.run(slow, "").error, AgentTimeoutError)

        def test_argument_of_time(mock_toolkit):
            assert mock_toolkit.run(lambda input, tools: time.sleep(0.6) or "done", "", timeout=5).output == "done"

        def test_loop(mock_toolkit):
            mock_toolkit.mock("look", return_value=1)
            assert isinstance(mock_toolkit.run(loop, "").error, AgentLoopDetectedError)

        def test_argument_of_calls():
            toolkit = MockToolkit(max_tool_calls=20)
            toolkit.mock("look", return_value=1)
            assert toolkit.run(loop, "").output == "done"
        """
        project.write("unitai.toml", "timeout = 0.3\nmax_tool_calls = 5\n")
        project.passes(dedent(suite))

    def test_adapter(self, project):
        suite = """
        import pytest
        from unitai import AdapterNotFoundError, BaseAdapter
        from unitai.adapters import register

        class Own(BaseAdapter):
            name = "langgraph"

            def can_handle(self, agent):
                return False

            def inject_mocks(self, agent, session):
                return agent

            def execute(self, agent, input, timeout):
                return f"by our own: {agent}"

            def extract_tools(self, agent):
                return []

        def test_missing(mock_toolkit):
            with pytest.raises(AdapterNotFoundError, match="langgraph") as caught:
                mock_toolkit.run(lambda input, tools: "plain", "")
            assert "the setting `adapter`" in str(caught.value)

        def test_setting(mock_toolkit):
            register(Own())
            assert mock_toolkit.run("agent", "").output == "by our own: agent"

        def test_argument(mock_toolkit):
            assert mock_toolkit.run(lambda input, tools: "plain", "", adapter="generic").output == "plain"
        """
        project.write("unitai.toml", 'adapter = "langraph"\n')
        project.passes(dedent(suite))

    def test_model_override_and_prices(self, project):
        suite = """
        import pytest
        from model import ask
        from unitai import MockToolkit, scripted_model, spending
        from unitai.script import say

        def run(toolkit, **options):
            with scripted_model([say("Hi.").using(1_000_000, 1_000_000)]) as model:
                result = toolkit.run_generic(lambda: ask(model="gpt-4o"), **options)
            return result, model.requests[0].model

        def test_setting():
            result, model = run(MockToolkit())
            assert model == "my-model"
            assert result.total_cost == 7

        def test_a_toolkit_adds_to_it():
            result, model = run(MockToolkit(prices={"other": {"input": 1, "output": 1}}))
            assert result.total_cost == 7
            result, model = run(MockToolkit(prices={"my-model": {"input": 1, "output": 1}}))
            assert result.total_cost == 2

        def test_argument():
            result, model = run(MockToolkit(), model_override="gpt-4o")
            assert model == "gpt-4o"
            assert result.total_cost == 12.5

        def test_calls_outside_of_runs():
            with spending(100.0) as budget, scripted_model([say("Hi.").using(1_000_000, 1_000_000)]):
                ask(model="my-model")
            assert budget.spent == 7
        """
        text = 'model_override = "my-model"\n[prices.my-model]\ninput = 3\noutput = 4\n'
        project.write("model.py", MODEL)
        project.write("unitai.toml", text)
        project.passes(dedent(suite))
        prices = json.dumps({"my-model": {"input": 3, "output": 4}})
        project.write("unitai.toml", 'model_override = "of-the-file"\n')
        project.passes(dedent(suite), "--model=my-model", UNITAI_PRICES=prices, UNITAI_MODEL_OVERRIDE="x")

    def test_junit_xml_and_verbose(self, project):
        suite = """
        from model import ask
        from unitai import scripted_model
        from unitai.script import say

        def test_dear(mock_toolkit):
            with scripted_model([say("Hi.").using(1_000_000, 0)]):
                mock_toolkit.run_generic(lambda: ask(model="gpt-4o"))
        """
        project.write("model.py", MODEL)
        project.write("unitai.toml", "verbose = true\njunit_xml = 'out/results.xml'\n")
        done = project.pytest(dedent(suite), "--unitai")
        assert done.returncode == 0, done.stdout + done.stderr
        block = done.stdout.partition("UnitAI Results")[2]
        assert "test_suite.py::test_dear" in block
        assert "test_dear" in (project.folder / "out/results.xml").read_text(encoding="utf-8")
        done = project.pytest(dedent(suite), "--unitai", UNITAI_VERBOSE="0", UNITAI_JUNIT_XML="other.xml")
        assert "test_suite.py::test_dear" not in done.stdout.partition("UnitAI Results")[2]
        assert (project.folder / "other.xml").exists()

    def test_statistics_and_what_a_decorator_says(self, project):
        suite = """
        from unitai import StatisticalRunner, statistical

        def test_setting():
            runner = StatisticalRunner()
            assert (runner.n, runner.threshold, runner.max_workers) == (4, 0.5, 2)

        def test_argument():
            runner = StatisticalRunner(n=50, threshold=0.99)
            assert (runner.n, runner.threshold, runner.max_workers) == (50, 0.99, 2)

        counts = {}

        @statistical
        def test_repeated():
            counts["setting"] = counts.get("setting", 0) + 1

        @statistical(n=3)
        def test_repeated_by_itself():
            counts["own"] = counts.get("own", 0) + 1

        def test_counts():
            assert counts["setting"] == 4
            assert counts["own"] == 3
        """
        project.write("unitai.toml", "max_workers = 2\n[default]\nn = 4\nthreshold = 0.5\n")
        project.passes(dedent(suite))

    def test_when_repeated_tests_stop(self, project):
        suite = """
        from unitai import statistical

        turns = {"setting": 0, "own": 0}

        @statistical(n=10, threshold=0.5, max_workers=1)
        def test_setting():
            turns["setting"] += 1

        @statistical(n=10, threshold=0.5, max_workers=1, mode="all")
        def test_argument():
            turns["own"] += 1

        def test_turns():
            assert turns == {"setting": 5, "own": 10}
        """
        project.write("unitai.toml", 'default_mode = "early"\n')
        project.passes(dedent(suite))

    def test_budget_of_each_test_and_the_marker(self, project):
        suite = """
        import pytest
        from unitai.traffic.purse import standing_budgets

        def test_setting():
            assert [(budget.name, budget.limit) for budget in standing_budgets()] == [("the suite", 9.0), ("this test", 0.25)]

        @pytest.mark.unitai_budget(max_cost=0.75)
        def test_marker():
            assert standing_budgets()[-1].limit == 0.75
        """
        project.write("unitai.toml", "[cost_budget]\nper_test = 0.25\nper_suite = 9\n")
        project.passes(dedent(suite))

    def test_cache(self, project):
        suite = """
        from unitai import cassette

        def test_setting(tmp_path):
            tape = cassette()
            assert (tape.mode, tape.directory) == ("replay", {folder!r})
            assert cassette("off", tmp_path).mode == "off"
        """
        project.write("unitai.toml", "[cache]\nmode = 'replay'\ndirectory = 'tapes'\n")
        project.passes(dedent(suite).format(folder=str(project.folder / "tapes")))


MODEL = """
import urllib3

def ask(model):
    body = {"model": model, "messages": [{"role": "user", "content": "Hi"}]}
    url = "https://api.openai.com/v1/chat/completions"
    return urllib3.PoolManager(retries=False).request("POST", url, json=body).status
"""
