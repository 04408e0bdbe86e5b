"""Where each public name lives. A file of its own, because pytest loads the package for its plugin, and every
start pays for what stands in `__init__.py`.
"""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "_engine": (
        "AgentRunResult",
        "Budget",
        "Finding",
        "InjectedFault",
        "MockTool",
        "MockToolCall",
        "ModelRequest",
        "StoredRepr",
        "Trajectory",
        "TrajectoryStep",
        "__version__",
    ),
    "adapters.base": ("BaseAdapter",),
    "config": ("UnitAIConfig",),
    "core.assertions": ("assert_trajectory",),
    "core.testcase": ("AgentTestCase",),
    "errors": (
        "AdapterNotFoundError",
        "AgentLoopDetectedError",
        "AgentTimeoutError",
        "AmbiguousRunError",
        "BaselineError",
        "BrokenExpectationError",
        "BrokenLedgerError",
        "CacheDiskError",
        "CacheMissError",
        "CallNotFoundError",
        "ConfigError",
        "ContractError",
        "CostLimitExceeded",
        "DamagedRecordingError",
        "DuplicateMockError",
        "ExpectationError",
        "InconclusiveError",
        "InfrastructureError",
        "InvalidArgumentError",
        "JudgeUndecidedError",
        "LLMTestError",
        "LLMTestFailed",
        "LLMTestWarning",
        "LayerWarning",
        "MissingDependencyError",
        "MisuseError",
        "MockExhaustedError",
        "MockStrategyError",
        "NetworkBlockedError",
        "NewerFormatError",
        "NoActiveRunError",
        "NoMatchingConditionError",
        "PassRateError",
        "RecordedError",
        "RecordingWarning",
        "RunOverError",
        "RunsRaisedError",
        "ScriptedCallError",
        "SnapshotError",
        "StatisticsWarning",
        "TrajectoryFormatError",
        "UnexpectedModelCallError",
        "UnitAIError",
        "UnknownToolError",
        "UnknownToolWarning",
        "UnknownUsageError",
        "UnmockedToolError",
        "UnmockedToolWarning",
        "UnplayedScriptError",
        "UnpricedModelError",
        "UnreachableToolError",
        "UnseenErrorWarning",
        "UnsupportedClientError",
        "UnsupportedFrameworkError",
        "WrongArgumentsError",
    ),
    "mock.toolkit": ("MockToolkit",),
    "trials.baseline": ("Baseline", "Comparison"),
    "runner.replay": ("CacheStats", "CachedResponse", "ReplayCache"),
    "runner.statistical": (
        "FailureMode",
        "StatisticalResult",
        "StatisticalRunner",
        "statistical",
    ),
    "traffic.cassette": ("cassette",),
    "traffic.gateway": ("gateway",),
    "traffic.network": ("block_network",),
    "traffic.purse": ("spending",),
    "traffic.scripted": ("scripted_model",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [name for name in _HOME_OF if not name.startswith("_")]


def load(name: str) -> object:
    """The object of this name."""
    if name == "__all__":
        return __all__
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'unitai' has no attribute {name!r}")
    return getattr(import_module(f"unitai.{home}"), name)
