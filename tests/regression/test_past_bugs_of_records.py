"""Bugs of the record, its checks and its reports that must not return: faithful, unchangeable, and readable by anyone."""

import json
import time
from unittest.mock import ANY

import pytest
from programs import run_program

from unitai import AgentRunResult, InvalidArgumentError, MockToolkit, Trajectory, TrajectoryStep

pytestmark = pytest.mark.regression


def a_toolkit():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit


def result_of(*steps, **more):
    return AgentRunResult(Trajectory(steps=list(steps), **more))


# What is written down


def test_an_output_that_hides_its_class_does_not_end_the_thread_of_its_agent():
    done = run_program(
        """
        from unitai import MockToolkit

        class NoClass:
            def __getattribute__(self, name):
                raise RuntimeError(name)

        print(MockToolkit().run(lambda input, tools: NoClass(), "x", timeout=5).error)
        """
    )
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_lists_that_share_their_parts_do_not_take_exponential_time():
    value = []
    for _ in range(60):
        value = [value, value]
    began = time.process_time()
    result = a_toolkit().run(lambda input, tools: tools["tool"](v=value), "x")
    assert result.succeeded
    assert time.process_time() - began < 2


def test_objects_that_share_their_parts_do_not_take_exponential_time():
    # Written out, this one would have 2**25 parts: the record must give up long before.
    done = run_program(
        """
        import os
        from collections import OrderedDict
        from unitai import MockToolkit

        value = OrderedDict()
        for _ in range(25):
            value = OrderedDict(a=value, b=value)
        toolkit = MockToolkit()
        toolkit.mock("tool", return_value=1)
        result = toolkit.run(lambda input, tools: tools["tool"](v=value), "x", timeout=60)
        print(result.call_order(), result.error, flush=True)
        os._exit(0)
        """
    )
    assert done.stdout == "['tool'] None\n"


def test_arguments_beside_an_object_cannot_be_rewritten_through_what_was_read():
    result = a_toolkit().run(lambda input, tools: tools["tool"](o=object(), ids=[1]), "x")
    result.get_call("tool").args["ids"].append(2)
    result.trajectory.steps[0].tool_args["ids"].append(3)
    assert result.tool_called_with("tool", o=ANY, ids=[1])


def test_token_totals_do_not_overflow():
    step = TrajectoryStep(step_type="llm_call", model="m", prompt_tokens=2**64 - 1, completion_tokens=1)
    assert Trajectory(steps=[step, step]).total_tokens >= 2**64 - 1


def test_an_infinite_cost_is_refused():
    toolkit = MockToolkit()
    result = toolkit.run_generic(lambda: toolkit.record_llm_call("m", 1, 1, cost=float("inf")))
    assert result.error_is(InvalidArgumentError)


def test_arguments_of_a_step_that_are_no_dictionary_are_refused():
    with pytest.raises(InvalidArgumentError):
        TrajectoryStep(tool_name="tool", tool_args=[1])


# What is read back


def test_escapes_in_json_do_not_change_what_was_called():
    data = Trajectory(steps=[TrajectoryStep(tool_name="süche", tool_args={"q": "café", "né": 1})]).to_dict()
    ascii_only = json.dumps(data, ensure_ascii=True)
    assert AgentRunResult(Trajectory.from_json(ascii_only)).tool_called_with("süche", q="café", né=1)


def test_the_order_of_keys_in_json_does_not_matter():
    trajectory = Trajectory(steps=[TrajectoryStep(tool_name="tool", tool_args={"o": object()})])
    assert Trajectory.from_json(json.dumps(trajectory.to_dict(), sort_keys=True)) == trajectory


# What is compared


def test_comparison_leaves_a_foreign_object_its_say():
    result = result_of(TrajectoryStep(tool_name="tool"))
    assert result == ANY
    assert result.trajectory == ANY
    assert result.trajectory.steps == [ANY]
    assert result.get_calls("tool") == [ANY]


class Text(str):
    """As templating libraries have them."""


def test_output_of_a_subclass_of_str_is_searched_as_text():
    result = result_of(final_output=Text("line\none"))
    assert result.output_matches("^line")
    assert result.output_contains("line\none")


def test_positional_arguments_of_a_check_are_named_by_the_signature_as_those_of_the_call():
    toolkit = MockToolkit()
    toolkit.mock("move", return_value=1, signature=["x", "y"])
    result = toolkit.run(lambda input, tools: tools["move"](1, 2), "x")
    assert result.tool_called_with("move", 1, 2)
    assert not result.tool_called_with("move", 2, 1)


def test_a_reference_that_is_one_string_is_refused_and_not_taken_letter_by_letter():
    with pytest.raises(InvalidArgumentError):
        result_of(TrajectoryStep(tool_name="a"), TrajectoryStep(tool_name="b")).matches("ab")


# Findings and reports

FINDING = """
import os, threading, time
from unitai import MockToolkit

def finding_about(value):
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit.run(lambda input, tools: tools["tool"](a=1), "x").tool_called_with("tool", a=value)
"""


def test_a_finding_read_from_several_threads_does_not_lock_up():
    done = run_program(
        FINDING
        + """
class Slow:
    def __repr__(self):
        time.sleep(0.02)
        return "slow"

finding = finding_about(Slow())
threads = [threading.Thread(target=str, args=(finding,), daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(5)
print([thread.is_alive() for thread in threads], flush=True)
os._exit(0)
"""
    )
    assert done.stdout == "[False, False, False, False]\n"


def test_a_repr_that_looks_at_its_own_finding_does_not_lock_up():
    done = run_program(
        FINDING
        + """
found = []

class Nosy:
    def __repr__(self):
        return "nosy" + (found[0].expected if found else "")

found.append(finding_about(Nosy()))
print("nosy" in str(found[0]))
"""
    )
    assert done.stdout == "True\n"


def test_hostile_variables_of_a_failing_test_do_not_break_pytest(pytester):
    pytester.makepyfile(
        """
        from unitai import MockToolkit

        class NoClass:
            def __getattribute__(self, name):
                raise RuntimeError(name)

        def test_it():
            hostile = NoClass()
            result = MockToolkit().run(lambda input, tools: 1, "x")
            assert result.failed
        """
    )
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*- UnitAI -*"])
    done.stdout.no_fnmatch_line("*INTERNALERROR*")
