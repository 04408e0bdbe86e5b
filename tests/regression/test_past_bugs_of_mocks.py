"""Bugs of mocks that must not return: what is refused when it is stated, copied, or impossible to show."""

import copy
import pickle

import pytest
from programs import run_program

from unitai import (
    AdapterNotFoundError,
    AgentRunResult,
    InvalidArgumentError,
    MockStrategyError,
    MockToolkit,
    NoMatchingConditionError,
    Trajectory,
    TrajectoryStep,
    UnitAIError,
)

pytestmark = pytest.mark.regression


def a_toolkit():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit


# Refused when it is stated


@pytest.mark.parametrize(
    "use",
    [
        lambda name: MockToolkit().mock(name, return_value=1),
        lambda name: MockToolkit().allow(name),
        lambda name: MockToolkit().get_tool(name),
        lambda name: TrajectoryStep(tool_name=name),
    ],
    ids=["mock", "allow", "get_tool", "TrajectoryStep"],
)
def test_a_name_with_a_lone_surrogate_is_refused_by_an_error_of_ours(use):
    with pytest.raises(UnitAIError):
        use("a\ud800")


def test_a_check_of_a_name_with_a_lone_surrogate_does_not_raise_a_unicode_error():
    try:
        assert not AgentRunResult(Trajectory()).tool_was_called("a\ud800")
    except InvalidArgumentError:
        pass  # Clear as well.


def test_an_endless_sequence_is_refused_before_memory_runs_out():
    pytest.importorskip("resource", reason="memory cannot be limited here")
    done = run_program(
        """
        import itertools, resource
        from unitai import MockToolkit, UnitAIError

        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        try:
            MockToolkit().mock("tool", sequence=itertools.cycle(["a", "b"]))
        except UnitAIError as error:
            print(error.code)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("UA")


def test_an_exception_class_that_needs_arguments_is_refused_when_it_is_mocked():
    with pytest.raises(MockStrategyError):
        MockToolkit().mock("tool", side_effect=UnicodeDecodeError)


def test_a_strategy_without_reset_does_not_break_the_reset_of_the_toolkit():
    class OnlyResponds:
        def respond(self, args):
            return 1

    toolkit = MockToolkit()
    try:
        toolkit.mock("tool", strategy=OnlyResponds())
    except MockStrategyError:
        return
    toolkit.reset()


# Copies


def test_tools_can_be_deep_copied_as_frameworks_do():
    toolkit = a_toolkit()
    assert copy.deepcopy(toolkit.as_dict())["tool"]() == 1
    assert copy.deepcopy(toolkit.get_tool("tool")).name == "tool"


def test_a_mock_tool_can_be_pickled():
    assert pickle.loads(pickle.dumps(a_toolkit().get_tool("tool"))).name == "tool"


class Named(MockToolkit):
    def __init__(self, name):
        super().__init__()
        self.name = name


def test_a_subclass_of_the_toolkit_with_arguments_of_its_own_can_be_copied():
    assert copy.deepcopy(Named("mine")).name == "mine"


# What cannot be shown


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no repr")


def test_a_condition_that_does_not_match_is_told_even_if_an_argument_cannot_be_shown():
    toolkit = MockToolkit()
    toolkit.mock("tool", conditional=[(lambda args: False, 1)])
    with pytest.raises(NoMatchingConditionError):
        toolkit.run(lambda input, tools: tools["tool"](v=Unshowable()), "x")


def test_an_agent_that_no_adapter_knows_is_told_even_if_it_cannot_be_shown():
    with pytest.raises(AdapterNotFoundError):
        MockToolkit().run(Unshowable(), "x")
