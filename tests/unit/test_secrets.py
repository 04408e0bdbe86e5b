"""What UnitAI shows holds no secret of the environment, and tests may change the environment."""

import base64
import json

import pytest

import unitai
from tests.support.keys import made_up, pieces_in
from unitai import MockToolkit, assert_trajectory
from unitai._engine import clean
from unitai.errors import InvalidArgumentError, RecordedError, shown

pytestmark = pytest.mark.unit

SECRET = "Zk3vQ8xWn2LmR7tY"


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", SECRET)


def leaky(input, tools):
    tools["save"](text=SECRET, **{SECRET: 1})
    return f"I saved {SECRET}"


@pytest.fixture
def result(known):
    toolkit = MockToolkit()
    toolkit.mock("save", return_value=SECRET)
    return toolkit.run(leaky, "go")


def test_a_variable_is_known_from_the_moment_it_is_set(monkeypatch):
    secret = "Qw8eRt6yUi4oPa2s"
    assert clean(f"<{secret}>") == f"<{secret}>"
    monkeypatch.setenv("OTHER_TOKEN", secret)
    assert clean(f"<{secret}>") == "<[redacted]>"
    monkeypatch.delenv("OTHER_TOKEN")
    assert clean(f"<{secret}>") == "<[redacted]>"


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    "spelled",
    [
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(f"me:{SECRET}".encode()).decode()[4:],
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        "".join(f"%{byte:02x}" for byte in SECRET.encode()),
        "".join(f"\\u{ord(letter):04x}" for letter in SECRET),
    ],
)
def test_a_secret_is_hidden_in_every_spelling(spelled):
    cleaned = clean(f"it is {spelled} and no more")
    assert not pieces_in(cleaned, {"spelled": spelled})
    assert "[redacted]" in cleaned


def test_a_text_without_secrets_is_the_same_object():
    text = "nothing to hide here, neither password nor token"
    assert clean(text) is text


@pytest.mark.usefixtures("known")
def test_text_that_is_no_unicode_is_cleaned_too():
    assert SECRET not in clean(f"\ud800 {SECRET}")
    assert clean("\ud800 nothing") == "\ud800 nothing"


def test_a_key_that_nobody_named_is_known_by_its_form():
    keys = made_up(seed=11)
    assert not pieces_in(clean(f"use {keys['GITHUB_TOKEN']}"), keys)


def test_findings_and_runs_show_no_secret(result):
    finding = result.tool_called_with("save", text=SECRET + "?")
    texts = [str(finding), repr(finding), finding.report(colour=True), finding.expected, finding.actual]
    texts += [finding.assertion, str(result), repr(result), result.report(), str(result.trajectory)]
    texts += [repr(step) for step in result.trajectory.steps] + [repr(call) for call in result.get_calls("save")]
    assert not any(pieces_in(text, {"secret": SECRET}) for text in texts)
    assert sum("[redacted]" in text for text in texts) >= 8


def test_an_error_shows_no_secret(result):
    with pytest.raises(unitai.BrokenExpectationError) as broken:
        assert_trajectory(result).output_contains(SECRET + "?")
    with pytest.raises(InvalidArgumentError) as invalid:
        MockToolkit(max_tool_calls=SECRET)  # type: ignore[arg-type]
    for error in (broken.value, invalid.value, InvalidArgumentError("x", expected=SECRET, found=SECRET, remedy=SECRET)):
        told = [str(error), repr(error), repr(error.args), repr(vars(error))]
        assert not any(pieces_in(text, {"secret": SECRET}) for text in told)
        assert any("[redacted]" in text for text in told)
    assert SECRET not in str(RecordedError("shop.Error", SECRET))
    assert SECRET not in shown({"key": SECRET})


def test_a_warning_shows_no_secret(known):
    with pytest.warns(unitai.UnmockedToolWarning) as told:
        MockToolkit(strict=False).run(lambda input, tools: tools[f"tool_{SECRET}"](), "go")
    assert [SECRET in str(warning.message) for warning in told] == [False]


def test_what_a_test_holds_in_its_hands_is_exact(result):
    assert result.output == f"I saved {SECRET}"
    assert result.get_call("save").args["text"] == SECRET
    assert SECRET in result.trajectory.to_json()
    assert SECRET in json.dumps(result.trajectory.to_dict())
    assert result.output_contains(SECRET)
