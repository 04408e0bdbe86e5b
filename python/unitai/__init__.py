"""UnitAI: write tests for your agents like you write tests for your code.

Names are loaded when they are first used, so that `import unitai` costs next to nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unitai._engine import AgentRunResult as AgentRunResult
    from unitai._engine import Budget as Budget
    from unitai._engine import Finding as Finding
    from unitai._engine import MockTool as MockTool
    from unitai._engine import MockToolCall as MockToolCall
    from unitai._engine import ModelRequest as ModelRequest
    from unitai._engine import StoredRepr as StoredRepr
    from unitai._engine import Trajectory as Trajectory
    from unitai._engine import TrajectoryStep as TrajectoryStep
    from unitai._engine import __version__ as __version__
    from unitai.adapters.base import BaseAdapter as BaseAdapter
    from unitai.core.assertions import assert_trajectory as assert_trajectory
    from unitai.core.testcase import AgentTestCase as AgentTestCase
    from unitai.errors import AdapterNotFoundError as AdapterNotFoundError
    from unitai.errors import AgentLoopDetectedError as AgentLoopDetectedError
    from unitai.errors import AgentTimeoutError as AgentTimeoutError
    from unitai.errors import AmbiguousRunError as AmbiguousRunError
    from unitai.errors import BrokenExpectationError as BrokenExpectationError
    from unitai.errors import CallNotFoundError as CallNotFoundError
    from unitai.errors import CostLimitExceeded as CostLimitExceeded
    from unitai.errors import DuplicateMockError as DuplicateMockError
    from unitai.errors import ExpectationError as ExpectationError
    from unitai.errors import InfrastructureError as InfrastructureError
    from unitai.errors import InvalidArgumentError as InvalidArgumentError
    from unitai.errors import MissingDependencyError as MissingDependencyError
    from unitai.errors import MisuseError as MisuseError
    from unitai.errors import MockExhaustedError as MockExhaustedError
    from unitai.errors import MockStrategyError as MockStrategyError
    from unitai.errors import NetworkBlockedError as NetworkBlockedError
    from unitai.errors import NewerFormatError as NewerFormatError
    from unitai.errors import NoActiveRunError as NoActiveRunError
    from unitai.errors import NoMatchingConditionError as NoMatchingConditionError
    from unitai.errors import RecordedError as RecordedError
    from unitai.errors import RunOverError as RunOverError
    from unitai.errors import TrajectoryFormatError as TrajectoryFormatError
    from unitai.errors import UnexpectedModelCallError as UnexpectedModelCallError
    from unitai.errors import UnitAIError as UnitAIError
    from unitai.errors import UnknownToolError as UnknownToolError
    from unitai.errors import UnknownUsageError as UnknownUsageError
    from unitai.errors import UnmockedToolError as UnmockedToolError
    from unitai.errors import UnmockedToolWarning as UnmockedToolWarning
    from unitai.errors import UnplayedScriptError as UnplayedScriptError
    from unitai.errors import UnpricedModelError as UnpricedModelError
    from unitai.errors import UnsupportedClientError as UnsupportedClientError
    from unitai.mock.toolkit import MockToolkit as MockToolkit
    from unitai.traffic.network import block_network as block_network
    from unitai.traffic.scripted import scripted_model as scripted_model

_HOMES = {
    "_engine": (
        "AgentRunResult",
        "Budget",
        "Finding",
        "MockTool",
        "MockToolCall",
        "ModelRequest",
        "StoredRepr",
        "Trajectory",
        "TrajectoryStep",
        "__version__",
    ),
    "adapters.base": ("BaseAdapter",),
    "core.assertions": ("assert_trajectory",),
    "core.testcase": ("AgentTestCase",),
    "errors": (
        "AdapterNotFoundError",
        "AgentLoopDetectedError",
        "AgentTimeoutError",
        "AmbiguousRunError",
        "BrokenExpectationError",
        "CallNotFoundError",
        "CostLimitExceeded",
        "DuplicateMockError",
        "ExpectationError",
        "InfrastructureError",
        "InvalidArgumentError",
        "MissingDependencyError",
        "MisuseError",
        "MockExhaustedError",
        "MockStrategyError",
        "NetworkBlockedError",
        "NewerFormatError",
        "NoActiveRunError",
        "NoMatchingConditionError",
        "RecordedError",
        "RunOverError",
        "TrajectoryFormatError",
        "UnexpectedModelCallError",
        "UnitAIError",
        "UnknownToolError",
        "UnknownUsageError",
        "UnmockedToolError",
        "UnmockedToolWarning",
        "UnplayedScriptError",
        "UnpricedModelError",
        "UnsupportedClientError",
    ),
    "mock.toolkit": ("MockToolkit",),
    "traffic.network": ("block_network",),
    "traffic.scripted": ("scripted_model",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [name for name in _HOME_OF if not name.startswith("_")]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'unitai' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"unitai.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
