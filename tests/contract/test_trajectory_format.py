"""The JSON of a trajectory: documented by a schema, exact, and readable for ever."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from unitai import MockToolkit, NewerFormatError, Trajectory, TrajectoryFormatError, TrajectoryStep

pytestmark = pytest.mark.contract

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE.parent.parent / "schemas" / "trajectory.schema.json").read_text(encoding="utf-8"))
GOLDEN = sorted((HERE / "golden").glob("*.json"))


def every_kind_of_step() -> Trajectory:
    return Trajectory(
        run_id="run-1",
        input={"text": "hello", "attachments": (1, 2)},
        started_at=1700000000.0,
        duration_seconds=1.25,
        steps=[
            TrajectoryStep(
                tool_name="a", tool_args={"n": 1, "x": float("nan")}, tool_result={1: b"\x00"}, timestamp=1.5
            ),
            TrajectoryStep(tool_name="b", tool_error=TimeoutError("slow"), agent_id="helper"),
            TrajectoryStep(step_type="llm_call", model="gpt-4o", prompt_tokens=10, completion_tokens=5, cost=0.000075),
            TrajectoryStep(step_type="llm_call", model="of-my-own", prompt_tokens=1, completion_tokens=1),
            TrajectoryStep(step_type="state_change", key="cart", old_value=None, new_value=["x"]),
        ],
        final_output="done",
    )


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_files_of_every_version_open(path):
    trajectory = Trajectory.from_json(path.read_text(encoding="utf-8"))
    assert trajectory.run_id == "run-1"
    assert [step.step_type for step in trajectory.steps] == [
        "tool_call",
        "tool_call",
        "llm_call",
        "llm_call",
        "state_change",
    ]
    assert trajectory.steps[0].tool_args["n"] == 1
    assert trajectory.steps[2].cost == 0.000075
    assert trajectory.total_tokens == 17
    assert trajectory.final_output == "done"


def test_there_is_a_golden_file_of_every_version():
    assert [path.stem for path in GOLDEN] == ["version-0", "version-1"]


def test_this_release_still_writes_version_1_as_it_was_first_written():
    assert every_kind_of_step().to_json() == (HERE / "golden" / "version-1.json").read_text(encoding="utf-8").strip()


def test_a_newer_version_is_refused_by_name():
    newer = {**every_kind_of_step().to_dict(), "version": 2, "something": "new"}
    with pytest.raises(NewerFormatError, match="version 2.*up to version 1"):
        Trajectory.from_dict(newer)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"version": 1}', '{"version": "x"}', '{"format": "unitai.trajectory", "version": 1}'],
)
def test_what_is_no_trajectory_is_refused(text):
    with pytest.raises(TrajectoryFormatError):
        Trajectory.from_json(text)


def test_an_unknown_field_of_a_known_version_is_refused():
    data = every_kind_of_step().to_dict()
    data["steps"][1]["tool_nam"] = "typo"
    with pytest.raises(TrajectoryFormatError, match="tool_nam"):
        Trajectory.from_dict(data)


def test_what_is_written_fits_the_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(every_kind_of_step().to_dict(), SCHEMA)


def test_the_record_of_a_real_run_fits_the_schema():
    toolkit = MockToolkit()
    toolkit.mock("a", sequence=[{"x": {1, 2}}, ValueError("no")])

    def agent(input, tools):
        tools["a"](what=object())
        toolkit.record_llm_call("gpt-4o", 3, 4)
        tools["a"]()

    trajectory = toolkit.run(agent, "go").trajectory
    jsonschema.validate(trajectory.to_dict(), SCHEMA)
    assert Trajectory.from_dict(trajectory.to_dict()).to_json() == trajectory.to_json()


def test_reading_a_dictionary_leaves_it_as_it_is():
    data = every_kind_of_step().to_dict()
    before = json.dumps(data)
    Trajectory.from_dict(data)
    assert json.dumps(data) == before
