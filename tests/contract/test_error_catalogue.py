"""The catalogue of errors is complete: every class has an entry, every entry a class and an example
that really raises it."""

from __future__ import annotations

import sys
from traceback import format_exception

import pytest
from registration import assert_registered

from unitai import _engine, errors

pytestmark = pytest.mark.contract

ENTRIES = {entry[0]: entry for entry in _engine.catalogue()}
BRANCHES = (errors.ExpectationError, errors.MisuseError, errors.InfrastructureError)


def classes() -> list[type[errors.UnitAIError]]:
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    return [value for value in found if issubclass(value, errors.UnitAIError) and value.code]


def test_every_error_class_is_in_the_catalogue_and_the_other_way_round():
    assert_registered(
        [f"{found.code} {found.__name__}" for found in classes()],
        [f"{code} {entry[1]}" for code, entry in ENTRIES.items()],
        forgotten="{name} has no entry: add it to crates/unitai_model/src/catalogue/entries.rs, with a program that raises it",
        left="{name} has no class: add one with this code to python/unitai/errors.py",
    )


def test_only_the_root_and_the_branches_have_no_code():
    bare = [
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.UnitAIError)
    ]
    assert {value for value in bare if not value.code} == {errors.UnitAIError, *BRANCHES}


@pytest.mark.parametrize("code", ENTRIES)
def test_the_class_belongs_to_the_branch_of_its_entry(code):
    _, name, branch, summary, *_ = ENTRIES[code]
    found = getattr(errors, name)
    assert [base.__name__ for base in BRANCHES if issubclass(found, base)] == [branch]
    assert found.__doc__.splitlines()[0].startswith(summary[:20]) or code == "UA101"


@pytest.mark.parametrize("code", ENTRIES)
def test_the_example_ends_with_exactly_this_error(code):
    _, name, *_, example = ENTRIES[code]
    with pytest.raises(errors.UnitAIError) as caught:
        exec(compile(example, f"<example of {code}>", "exec"), {})
    assert type(caught.value).__name__ == name
    assert caught.value.code == code
    assert errors.explained(caught.value) == f"{caught.value}\n  more:     unitai explain {code}"
    if sys.version_info >= (3, 11):
        shown = "".join(format_exception(caught.value))
        assert shown.endswith(f"\n  more:     unitai explain {code}\n") and shown.count("unitai explain") == 1


def test_a_message_says_what_was_expected_what_was_found_and_what_to_do():
    error = errors.UnmockedToolError("the agent called x", expected="a mocked tool", found="x()", remedy="mock it")
    assert str(error) == ("the agent called x [UA206]\n  expected: a mocked tool\n  found:    x()\n  to do:    mock it")
