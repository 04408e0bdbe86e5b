"""The ready matchers: what each is equal to, and how it shows itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unitai.match import any_of_type, approx, ignoring, one_of, partial, predicate, regex

pytestmark = pytest.mark.unit

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("matcher", "value"),
    [
        (approx(0.3), 0.1 + 0.2),
        (approx(100, rel=0.1), 95),
        (approx(0, abs=0.5), 0.4),
        (approx(10**20), 10**20),
        (regex(r"\d+"), "order 123"),
        (regex("^a", re.IGNORECASE), "Abc"),
        (regex(re.compile("b$")), "ab"),
        (one_of("EUR", "USD"), "EUR"),
        (one_of(1, approx(2.0)), 2.0000000001),
        (any_of_type(str), "abc"),
        (any_of_type(int, str), 3),
        (any_of_type(bool), True),
        (any_of_type(object), True),
        (predicate(lambda n: n % 2 == 0), 4),
        (partial({"user": {"id": 1}}), {"user": {"id": 1, "name": "A"}, "at": 5}),
        (partial({"items": [{"id": 1}]}), {"items": [{"id": 1, "qty": 2}]}),
        (partial({"amount": approx(1.0)}), {"amount": 1.0000000001}),
        (partial({}), {"anything": 1}),
        (ignoring("request_id")({"q": "cafes"}), {"q": "cafes", "request_id": "a1"}),
        (ignoring("a", "b")({"a": 1}), {"b": 2}),
    ],
)
def test_a_matcher_is_equal_to_what_it_accepts_from_either_side(matcher, value):
    assert matcher == value
    assert value == matcher
    assert [value] == [matcher]
    assert {"key": value} == {"key": matcher}


@pytest.mark.parametrize(
    ("matcher", "value"),
    [
        (approx(1.0), 1.1),
        (approx(1.0), "1.0"),
        (approx(1.0), True),
        (approx(1.0), None),
        (approx(1.0), float("nan")),
        (regex(r"\d"), "no digit"),
        (regex(r"\d"), 5),
        (regex("a"), b"a"),
        (one_of(), None),
        (one_of("EUR"), "GBP"),
        (any_of_type(int), True),
        (any_of_type(int), 1.0),
        (predicate(lambda n: n), 0),
        (partial({"a": 1}), {"b": 1}),
        (partial({"a": {"b": 1}}), {"a": 1}),
        (partial({"a": [1]}), {"a": [1, 2]}),
        (partial({"a": 1}), None),
        (ignoring("x")({"q": 1}), {"q": 2, "x": 0}),
        (ignoring("x")({"q": 1}), {"q": 1, "y": 0}),
        (ignoring("x")({"q": 1}), [1]),
    ],
)
def test_a_matcher_is_not_equal_to_anything_else(matcher, value):
    assert matcher != value
    assert value != matcher


def test_what_a_predicate_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        assert predicate(lambda n: 1 / n) == 0


def test_a_matcher_is_no_key():
    with pytest.raises(TypeError, match="unhashable"):
        {regex("a"): 1}


@pytest.mark.parametrize(
    ("matcher", "shown"),
    [
        (approx(1.5), "approx(1.5)"),
        (regex("a+"), "regex('a+')"),
        (one_of(1, "b"), "one_of(1, 'b')"),
        (any_of_type(int, str), "any_of_type(int, str)"),
        (predicate(len), "predicate(len)"),
        (predicate(len, "not empty"), "predicate(not empty)"),
        (partial({"a": 1}), "partial({'a': 1})"),
        (ignoring("a", "b"), "ignoring('a', 'b')"),
        (ignoring("a")({"b": 1}), "ignoring('a')({'b': 1})"),
    ],
)
def test_a_matcher_shows_itself_as_it_was_written(matcher, shown):
    assert repr(matcher) == shown


@given(plain, plain)
def test_one_of_agrees_with_python(value, other):
    assert (one_of(value) == other) == (value == other)


@given(st.dictionaries(st.text(max_size=3), plain, max_size=4), st.data())
def test_partial_accepts_every_part_of_a_dictionary(whole, data):
    part = {key: whole[key] for key in whole if data.draw(st.booleans())}
    assert whole == partial(part)


@given(st.dictionaries(st.text(max_size=3), plain, max_size=4), st.text(max_size=3), plain)
def test_ignoring_a_field_makes_its_value_not_count(fields, name, value):
    assert {**fields, name: value} == ignoring(name)(fields)
