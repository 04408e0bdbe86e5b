"""Trajectory and its steps: made by hand, derived totals, JSON and back, copies."""

import copy
import json
import pickle

import pytest

from unitai import (
    AgentRunResult,
    InvalidArgumentError,
    MockToolkit,
    NewerFormatError,
    RecordedError,
    StoredRepr,
    Trajectory,
    TrajectoryFormatError,
    TrajectoryStep,
    UnpricedModelError,
)

pytestmark = pytest.mark.unit


def every_kind():
    return Trajectory(
        run_id="run-1",
        input="refund 123",
        started_at=1000.0,
        duration_seconds=2.5,
        steps=[
            TrajectoryStep(step_type="llm_call", model="gpt-4o", prompt_tokens=10, completion_tokens=5, cost=0.25),
            TrajectoryStep(tool_name="lookup", tool_args={"id": 1}, tool_result={"ok": True}, timestamp=1001.0),
            TrajectoryStep(tool_name="refund", tool_args={}, tool_error=ValueError("declined"), agent_id="clerk"),
            TrajectoryStep(step_type="state_change", key="stage", old_value=None, new_value=[1]),
        ],
        final_output="sorry",
    )


TOOL = ("tool_name", "tool_args", "tool_result", "tool_error")
MODEL = (
    "model",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency",
    "finish_reason",
    "request_digest",
    "llm_error",
)
STATE = ("key", "old_value", "new_value")


def test_a_trajectory_has_the_fields_of_the_specification():
    trajectory = every_kind()
    assert trajectory.run_id == "run-1"
    assert trajectory.input == "refund 123"
    assert trajectory.final_output == "sorry"
    assert trajectory.duration_seconds == 2.5
    assert trajectory.error is None
    assert (trajectory.total_tokens, trajectory.total_cost, trajectory.llm_calls) == (15, 0.25, 1)
    assert len(trajectory) == len(trajectory.steps) == 4


def test_steps_know_their_place_and_their_run():
    steps = every_kind().steps
    assert [step.step_index for step in steps] == [0, 1, 2, 3]
    assert {step.run_id for step in steps} == {"run-1"}
    assert [step.agent_id for step in steps] == [None, None, "clerk", None]


@pytest.mark.parametrize(("at", "foreign"), [(0, TOOL + STATE), (1, MODEL + STATE), (3, TOOL + MODEL)])
def test_attributes_that_do_not_belong_to_the_type_of_a_step_are_none(at, foreign):
    step = every_kind().steps[at]
    assert {name: getattr(step, name) for name in foreign} == dict.fromkeys(foreign)


def test_an_empty_trajectory_has_empty_totals():
    trajectory = Trajectory()
    assert trajectory.steps == []
    assert (trajectory.total_tokens, trajectory.total_cost, trajectory.llm_calls) == (0, 0.0, 0)
    assert (trajectory.input, trajectory.final_output, trajectory.error) == ("", None, None)
    assert Trajectory.from_json(trajectory.to_json()) == trajectory


def test_a_trajectory_cannot_be_changed():
    trajectory = every_kind()
    trajectory.steps.clear()
    trajectory.steps[1].tool_args["id"] = 2
    with pytest.raises(AttributeError):
        trajectory.input = "other"
    with pytest.raises(AttributeError):
        trajectory.steps[0].model = "other"
    assert trajectory == every_kind()


def test_add_step_adds_to_a_trajectory_that_is_made_by_hand():
    trajectory = every_kind()
    before = trajectory.steps
    assert trajectory.add_step(TrajectoryStep(tool_name="close", tool_result=object)) is None
    trajectory.add_step(TrajectoryStep(step_type="llm_call", model="gpt-4o", cost=1.0))
    assert len(trajectory) == 6
    assert trajectory.steps[:4] == before
    assert [step.step_index for step in trajectory.steps] == list(range(6))
    assert trajectory.steps[4].tool_result is object
    assert trajectory.total_cost == every_kind().total_cost + 1.0
    assert AgentRunResult(trajectory).tool_was_called("close")
    assert Trajectory.from_dict(trajectory.to_dict()) == trajectory


def test_a_step_is_added_between_two_looks():
    trajectory = Trajectory()
    for number in range(50):
        assert len(trajectory.steps) == number
        trajectory.add_step(TrajectoryStep(number, "tool_call", float(number), tool_name=f"tool_{number}"))
    assert [step.timestamp for step in trajectory.steps] == [float(number) for number in range(50)]


def test_the_trajectory_of_a_run_cannot_be_changed():
    trajectory = MockToolkit().run_generic(lambda: "done").trajectory
    with pytest.raises(InvalidArgumentError, match="the trajectory of a run cannot be changed") as caught:
        trajectory.add_step(TrajectoryStep(tool_name="close"))
    assert "Trajectory.from_dict(trajectory.to_dict())" in str(caught.value)
    twin = Trajectory.from_dict(trajectory.to_dict())
    twin.add_step(TrajectoryStep(tool_name="close"))
    assert (len(trajectory), len(twin)) == (0, 1)


def test_the_constructors_take_what_the_specification_lists():
    step = TrajectoryStep(0, "tool_call", 1.0, tool_name="lookup", tool_args={"id": 1}, tool_result="found")
    trajectory = Trajectory(
        run_id="r",
        input="i",
        steps=[step],
        final_output="o",
        total_tokens=847,
        total_cost=42.0,
        llm_calls=3,
        duration_seconds=1.2,
        error=None,
    )
    assert (trajectory.steps[0].timestamp, trajectory.steps[0].tool_args) == (1.0, {"id": 1})
    totals = (trajectory.total_tokens, trajectory.total_cost, trajectory.llm_calls, trajectory.duration_seconds)
    assert totals == (847, 42.0, 3, 1.2)
    result = AgentRunResult(trajectory)
    assert not result.total_cost < 0.10
    assert not result.within(cost=0.10)
    assert "Cost: $42.00 | Tokens: 847" in str(trajectory)
    assert Trajectory.from_dict(trajectory.to_dict()) == trajectory


def test_the_totals_of_a_flat_dictionary_are_kept():
    flat = {
        "run_id": "r",
        "input": "i",
        "steps": [{"step_index": 0, "step_type": "llm_call", "timestamp": 1.0, "model": "gpt-4o", "cost": 0.01}],
        "final_output": "o",
        "total_tokens": 847,
        "total_cost": 42.0,
        "duration_seconds": 1.2,
        "llm_calls": 3,
        "error": None,
    }
    trajectory = Trajectory.from_dict(flat)
    assert (trajectory.total_tokens, trajectory.total_cost, trajectory.llm_calls) == (847, 42.0, 3)
    with pytest.raises(TrajectoryFormatError, match="unknown field `total_coast`"):
        Trajectory.from_dict({**flat, "total_coast": 1})
    assert Trajectory.from_dict({**flat, "x-origin": {"host": "a"}}) == trajectory


def test_a_saved_trajectory_comes_back_the_same():
    trajectory = every_kind()
    for twin in (Trajectory.from_json(trajectory.to_json()), Trajectory.from_dict(trajectory.to_dict())):
        assert twin == trajectory
        assert twin.to_json() == trajectory.to_json()
        assert twin.steps == trajectory.steps


def test_what_is_saved_is_plain_json_with_a_format_and_a_version():
    data = every_kind().to_dict()
    assert (data["format"], data["version"]) == ("unitai.trajectory", 1)
    assert json.loads(json.dumps(data)) == data
    assert "total_cost" not in data
    assert data["steps"][0]["cost"] == "0.25"


def test_an_error_comes_back_as_the_record_of_it():
    trajectory = Trajectory(error=KeyError("gone"))
    twin = Trajectory.from_json(trajectory.to_json())
    assert isinstance(trajectory.error, KeyError)
    assert isinstance(twin.error, RecordedError)
    assert (twin.error.type_name, twin.error.message) == ("builtins.KeyError", "'gone'")
    assert twin == trajectory


def test_an_object_that_cannot_be_saved_comes_back_by_its_repr_and_marked_as_such():
    trajectory = Trajectory(steps=[TrajectoryStep(tool_name="draw", tool_args={"canvas": range(3), "n": 1})])
    stored = Trajectory.from_json(trajectory.to_json()).steps[0].tool_args["canvas"]
    assert isinstance(stored, StoredRepr)
    assert (repr(stored), stored.type_name) == ("range(0, 3)", "builtins.range")
    assert trajectory.steps[0].tool_args == {"canvas": range(3), "n": 1}


def test_a_trajectory_that_is_saved_twice_is_the_same_as_once():
    once = Trajectory.from_json(Trajectory(input=object()).to_json())
    assert Trajectory.from_json(once.to_json()).to_json() == once.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "not json",
        '{"format":"unitai.trajectory","version":1}',
        '{"format":"unitai.trajectory","version":-1}',
        '{"format":"unitai.trajectory","version":"1"}',
        '{"run_id":"r","input":"","steps":[{"step_type":"nap","timestamp":0}]}',
        '{"run_id":"r","input":"","steps":[{"step_type":"tool_call","timestamp":0}]}',
        '{"a":' * 5000,
        "[" * 100_000,
        "\ud800",
    ],
)
def test_what_is_no_trajectory_is_refused(text):
    with pytest.raises(TrajectoryFormatError, match="not a trajectory"):
        Trajectory.from_json(text)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("steps", 0, "step_type"), "nap"),
        (("steps", 1, "tool_args"), {"$unitai": "unheard-of"}),
        (("steps", 1, "tool_args"), {"$unitai": "int", "hex": "xyz"}),
        (("steps", 0, "cost"), "much"),
        (("steps", 0, "prompt_tokens"), -1),
        (("duration_seconds",), "long"),
        (("format",), "something.else"),
        (("surprise",), 1),
    ],
)
def test_a_damaged_document_is_refused(path, value):
    data = every_kind().to_dict()
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(TrajectoryFormatError):
        Trajectory.from_dict(data)


def test_a_cut_document_is_refused_wherever_it_was_cut():
    text = every_kind().to_json()
    for end in range(0, len(text), 7):
        with pytest.raises(TrajectoryFormatError):
            Trajectory.from_json(text[:end])


def test_a_newer_version_is_refused_and_says_so():
    with pytest.raises(NewerFormatError, match="version 99"):
        Trajectory.from_dict({**every_kind().to_dict(), "version": 99})


def test_a_dictionary_that_is_no_json_is_refused():
    with pytest.raises(TrajectoryFormatError):
        Trajectory.from_dict({"steps": object()})


def test_from_dict_leaves_the_dictionary_as_it_is():
    data = every_kind().to_dict()
    before = copy.deepcopy(data)
    Trajectory.from_dict(data)
    assert data == before


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_trajectories_steps_and_stored_values_survive_copies_and_pickle(clone):
    trajectory = every_kind()
    twin = clone(trajectory)
    assert twin == trajectory
    assert isinstance(twin.steps[2].tool_error, ValueError)
    assert [clone(step) for step in trajectory.steps] == trajectory.steps
    stored = StoredRepr("a.B", "B(1)")
    assert clone(stored) == stored
    assert hash(clone(stored)) == hash(stored)


def test_objects_come_back_alive_from_pickle():
    class_, span = dict, slice(1, 2)
    trajectory = Trajectory(
        steps=[TrajectoryStep(tool_name="t", tool_args={"c": class_, "s": span})], final_output=span
    )
    twin = pickle.loads(pickle.dumps(trajectory))
    assert twin.steps[0].tool_args == {"c": dict, "s": slice(1, 2)}
    assert twin.final_output == slice(1, 2)


def test_trajectories_that_differ_in_anything_are_not_equal():
    trajectory = every_kind()
    data = trajectory.to_dict()
    for key, value in {
        "run_id": "other",
        "input": "other",
        "started_at": 1.0,
        "final_output": None,
        "steps": [],
    }.items():
        assert Trajectory.from_dict({**data, key: value}) != trajectory
    assert trajectory != "trajectory"


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"step_type": "nap"}, "step_type must be"),
        ({}, "needs a tool_name"),
        ({"step_type": "llm_call"}, "needs a model"),
        ({"step_type": "state_change"}, "needs a key"),
        ({"tool_name": "t", "tool_result": 1, "tool_error": ValueError()}, "not both"),
        ({"tool_name": "t", "timestamp": float("nan")}, "finite"),
    ],
)
def test_a_step_of_wrong_parts_is_refused(parts, complaint):
    with pytest.raises(InvalidArgumentError, match=complaint):
        TrajectoryStep(**parts)


@pytest.mark.parametrize(
    "parts",
    [{"final_output": 1, "error": ValueError()}, {"duration_seconds": float("inf")}, {"started_at": float("nan")}],
)
def test_a_trajectory_of_wrong_parts_is_refused(parts):
    with pytest.raises(InvalidArgumentError):
        Trajectory(**parts)


def test_a_model_without_a_price_makes_the_cost_unknown():
    trajectory = Trajectory(steps=[TrajectoryStep(step_type="llm_call", model="mine", prompt_tokens=1)])
    assert trajectory.steps[0].cost is None
    with pytest.raises(UnpricedModelError):
        trajectory.total_cost  # noqa: B018


def test_a_recorded_run_is_numbered_timed_and_round_trips():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    result = toolkit.run(lambda input, tools: [tools["tool"](n=n) for n in range(30)], "x")
    trajectory = result.trajectory
    times = [step.timestamp for step in trajectory.steps]
    assert [step.step_index for step in trajectory.steps] == list(range(30))
    assert times == sorted(times)
    assert trajectory.started_at <= times[0]
    assert times[-1] <= trajectory.started_at + trajectory.duration_seconds
    assert Trajectory.from_json(trajectory.to_json()) == trajectory


def test_texts_of_a_trajectory_hold_no_control_characters():
    trajectory = Trajectory(input="\x1b]0;", steps=[TrajectoryStep(tool_name="\x1b[2J", tool_args={"\x07": "\x1b"})])
    for text in (str(trajectory), repr(trajectory), repr(trajectory.steps[0])):
        assert not set(text) & {"\x1b", "\x07"}


@pytest.mark.parametrize("given", [{"cost": 0.5}, {"prompt_tokens": 10}, {"completion_tokens": 1}])
def test_a_step_that_calls_no_model_costs_nothing(given):
    for kind in ({"tool_name": "lookup"}, {"step_type": "state_change", "key": "stage"}):
        with pytest.raises(InvalidArgumentError, match="only an llm_call step has a cost and tokens"):
            TrajectoryStep(**kind, **given)
        assert TrajectoryStep(**kind, **dict.fromkeys(given, 0))
