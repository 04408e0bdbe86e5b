"""The names that users import. Adding one is a decision, losing one breaks somebody."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from registration import assert_registered

import unitai

pytestmark = pytest.mark.contract

PUBLIC = """
AdapterNotFoundError AgentLoopDetectedError AgentRunResult AgentTestCase AgentTimeoutError AmbiguousRunError
BaseAdapter BrokenExpectationError BrokenLedgerError Budget CacheDiskError CacheMissError CacheStats CachedResponse CallNotFoundError
ConfigError CostLimitExceeded DamagedRecordingError DuplicateMockError ExpectationError FailureMode Finding InconclusiveError InfrastructureError InjectedFault InvalidArgumentError JudgeUndecidedError LLMTestError LLMTestFailed LLMTestWarning MissingDependencyError MisuseError MockExhaustedError
MockStrategyError MockTool MockToolCall MockToolkit ModelRequest NetworkBlockedError NewerFormatError NoActiveRunError
NoMatchingConditionError PassRateError RecordedError ReplayCache RunOverError RunsRaisedError StatisticalResult StatisticalRunner StatisticsWarning StoredRepr Trajectory TrajectoryFormatError TrajectoryStep
UnexpectedModelCallError UnitAIError RecordingWarning UnknownToolError UnknownUsageError UnmockedToolError UnmockedToolWarning
UnplayedScriptError UnpricedModelError UnseenErrorWarning UnsupportedClientError UnsupportedFrameworkError
WrongArgumentsError assert_trajectory block_network cassette gateway
ContractError LayerWarning ScriptedCallError UnknownToolWarning UnreachableToolError SnapshotError scripted_model spending statistical Baseline BaselineError Comparison UnitAIConfig
""".split()

PATHS = {
    "unitai.core.trajectory": ["Trajectory", "TrajectoryStep"],
    "unitai.core.assertions": ["assert_trajectory"],
    "unitai.core.result": ["AgentRunResult", "Finding"],
    "unitai.mock.toolkit": ["MockToolkit"],
    "unitai.mock.tool": ["MockTool", "MockToolCall"],
    "unitai.mock.strategies": [
        "StaticStrategy",
        "SequenceStrategy",
        "ConditionalStrategy",
        "ErrorStrategy",
        "CallableStrategy",
        "ResponseStrategy",
    ],
    "unitai.mock": ["MockToolkit", "MockTool", "StaticStrategy"],
    "unitai.adapters.base": ["BaseAdapter", "AgentTool"],
    "unitai.adapters.generic": ["GenericAdapter"],
    "unitai.adapters": [
        "AgentTool",
        "BaseAdapter",
        "speaking",
        "Session",
        "ToolCall",
        "ModelCall",
        "StateChange",
        "register",
    ],
    "unitai.config": ["UnitAIConfig", "Source", "load_config", "current_config"],
    "unitai.pytest_plugin.fixtures": ["mock_toolkit", "scripted_model", "cassette", "block_network", "unitai_config"],
    "unitai.runner.statistical": ["StatisticalRunner", "StatisticalResult", "statistical"],
    "unitai.trials.baseline": ["Baseline", "Comparison", "Comparisons", "Sample"],
    "unitai.runner.replay": ["ReplayCache", "CachedResponse", "CacheStats"],
    "unitai.script": ["call", "say", "fail", "when", "choose", "think", "refuse", "together"],
    "unitai.cli.main": ["main"],
    "unitai.llm": [
        "LLMPlugin",
        "LLMTestError",
        "LLMTestFailed",
        "LLMTestFile",
        "LLMTestItem",
        "Step",
        "StepResult",
        "TestMeta",
        "TestSpec",
        "Verdict",
        "VerdictSpec",
        "run_llm_test",
    ],
    "unitai.llm.models": ["TestSpec", "TestMeta", "Step", "VerdictSpec", "StepResult", "Verdict"],
    "unitai.llm.plugin_base": ["LLMPlugin"],
    "unitai.match": ["approx", "regex", "one_of", "any_of_type", "predicate", "partial", "ignoring"],
}


def test_the_package_exports_exactly_these_names():
    assert_registered(
        unitai.__all__,
        PUBLIC,
        forgotten="{name} is exported: if users shall have it, add it to PUBLIC in tests/contract/test_public_names.py",
        left="{name} is promised to users: export it in python/unitai/__init__.py",
    )
    assert len(unitai.__all__) == len(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_exported_name_is_there_and_documented(name):
    assert (getattr(unitai, name).__doc__ or "").strip()


@pytest.mark.parametrize(("module", "names"), PATHS.items())
def test_documented_import_paths_hold(module, names):
    found = importlib.import_module(module)
    assert [name for name in names if not hasattr(found, name)] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'MockTolkit'"):
        _ = unitai.MockTolkit


def test_importing_the_package_loads_neither_the_engine_nor_the_typing_module():
    code = "import sys; before = set(sys.modules); import unitai; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.strip() == "['unitai']"


def test_type_checkers_see_the_names_that_there_are():
    stub = Path(unitai.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    seen = set(re.findall(r"^from [\w.]+ import (\w+) as \1$", stub, flags=re.MULTILINE))
    assert_registered(
        unitai.__all__,
        seen - {"__version__"},
        forgotten="type checkers do not see {name}: import it in python/unitai/__init__.pyi",
        left="python/unitai/__init__.pyi imports {name}, which the package does not export",
    )


def test_pytest_is_shown_each_hook_and_each_fixture_of_the_plugin() -> None:
    plugin = importlib.import_module("unitai.pytest_plugin")
    fixtures = [name for name, value in vars(plugin).items() if type(value) is type(plugin.mock_toolkit)]
    hooks = [name for name in vars(plugin) if name.startswith("pytest_")]
    assert len(fixtures) == 6
    assert sorted(dir(plugin)) == sorted(hooks + fixtures)
    # Its own, for it is only there where nobody else has one.
    assert dir(plugin.Short()) == ["snapshot"]
