"""Model traffic in a real pytest: the fixtures, and `--model`."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.integration

MODEL = """
import urllib3
from unitai import MockToolkit, NetworkBlockedError, scripted_model as scripted
from unitai.script import call, say

def ask(text, model="gpt-4o"):
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    answer = urllib3.PoolManager(retries=False).request("POST", "https://api.openai.com/v1/chat/completions", json=body)
    return answer.json()["choices"][0]["message"]["content"]
"""


@pytest.fixture
def run(pytester):
    def run(tests: str, *args: str) -> pytest.RunResult:
        pytester.makepyfile(MODEL + tests)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *args)

    return run


def test_the_fixture_scripts_the_model_for_one_test(run):
    done = run("""
def test_one(scripted_model, mock_toolkit):
    model = scripted_model([say("hello")])
    assert mock_toolkit.run_generic(lambda: ask("hi")).output == "hello"
    assert model.requests[0].last_message == "hi"

def test_two(scripted_model):
    scripted_model([say("another")])
    assert ask("hi") == "another"

def test_with(scripted_model):
    with scripted_model([say("inner")]):
        assert ask("hi") == "inner"
""")
    done.assert_outcomes(passed=3)


def test_a_step_that_was_not_played_fails_the_test_and_not_its_teardown(run):
    done = run("""
def test_one(scripted_model):
    scripted_model([say("hello"), call("lookup", id=1)])
    ask("hi")
""")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*UnplayedScriptError*", '*left over: call("lookup", id=1)*'])


def test_steps_that_a_refusal_left_unplayed_are_no_error_besides(run):
    done = run("""
import pytest
from unitai import UnmockedToolError, scripted_model as scripted_

STEPS = [say("one"), say("two")]

@pytest.fixture
def model():
    with scripted_(STEPS) as model:
        yield model

def agent(toolkit):
    return [ask("hi"), toolkit.as_dict()["refund"]()]

def test_own_fixture(model, mock_toolkit):
    mock_toolkit.run_generic(lambda: agent(mock_toolkit))

def test_own_fixture_and_caught(model, mock_toolkit):
    with pytest.raises(UnmockedToolError):
        mock_toolkit.run_generic(lambda: agent(mock_toolkit))

def test_our_fixture_and_caught(scripted_model, mock_toolkit):
    scripted_model(STEPS)
    with pytest.raises(UnmockedToolError):
        mock_toolkit.run_generic(lambda: agent(mock_toolkit))
""")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.no_fnmatch_line("*UnplayedScriptError*")


def test_an_unexpected_request_fails_the_test_with_the_run_beside_it(run):
    done = run("""
def test_one(scripted_model, mock_toolkit):
    scripted_model([say("hello")])
    result = mock_toolkit.run_generic(lambda: [ask("one"), ask("one too many")])
    assert result.output == "hello"
""")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*Agent raised: UnexpectedModelCallError: the script has no answer to request 2*"])


def test_a_failure_of_the_test_is_shown_rather_than_what_follows_from_it(run):
    done = run("""
def test_one(scripted_model):
    scripted_model([say("hello")])
    assert 1 == 2
""")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*assert 1 == 2"])
    done.stdout.no_fnmatch_line("*UnplayedScriptError*")


def test_the_decorator_keeps_the_fixtures_of_a_test(run):
    done = run("""
@scripted([say("hello")])
def test_one(mock_toolkit):
    assert mock_toolkit.run_generic(lambda: ask("hi")).output == "hello"
""")
    done.assert_outcomes(passed=1)


@pytest.mark.parametrize("option", ["--model", "--unitai-model"])
def test_the_model_of_the_command_line_takes_the_place_of_the_agents(run, option):
    done = run(
        """
def test_one(scripted_model, mock_toolkit):
    model = scripted_model([say("hello")])
    result = mock_toolkit.run_generic(lambda: ask("hi", model="gpt-4o"))
    assert result.trajectory.steps[0].model == "gpt-4o-mini" == model.requests[0].model

def test_two(scripted_model, mock_toolkit):
    scripted_model([say("hello")])
    result = mock_toolkit.run_generic(lambda: ask("hi"), model_override="o3")
    assert result.trajectory.steps[0].model == "o3"
""",
        option,
        "gpt-4o-mini",
    )
    done.assert_outcomes(passed=2)


def test_a_conftest_that_has_the_short_option_already_keeps_it(pytester):
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--model', default='theirs')")
    pytester.makepyfile("def test_one(pytestconfig): assert pytestconfig.getoption('--model') == 'theirs'")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(passed=1)


def test_the_network_fixture_refuses_connections_and_names_who_wanted_them(run):
    done = run("""
import socket
import pytest

def fetch():
    return socket.create_connection(("example.com", 443), timeout=1)

def test_one(block_network):
    with pytest.raises(NetworkBlockedError) as caught:
        fetch()
    assert "example.com:443" in str(caught.value)
    assert "in fetch" in str(caught.value)

def test_two():
    with pytest.raises(NetworkBlockedError):
        with scripted([], block_network=True):
            fetch()
""")
    done.assert_outcomes(passed=2)
