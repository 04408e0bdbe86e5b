"""What the chatbot must do. No key, no network: the model is scripted.

The bot is an object of our own, so the test hands it the mocked tools, and runs it itself: `run_generic`.
"""

import pytest
from agent import Chatbot

from unitai.script import call, say, when


@pytest.fixture
def library(mock_toolkit, monkeypatch):
    # The client wants a key to be there. Any will do.
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    mock_toolkit.mock("opening_hours", return_value={"opens": "10:00", "closes": "18:30"})
    mock_toolkit.mock("find_book", return_value={"shelf": "B 12", "copies": 2})
    return mock_toolkit


def test_it_looks_things_up_and_makes_nothing_up(library, scripted_model):
    scripted_model([call("opening_hours", day="Friday"), say("On Friday we are open from 10:00 to 18:30.")])

    bot = Chatbot(library.as_dict())
    result = library.run_generic(lambda: bot.ask("When are you open on Friday?"))

    assert result.tool_called_with("opening_hours", day="Friday")
    assert result.output_contains("18:30")
    assert result.did_not_invent()


def test_it_remembers_what_was_said(library, scripted_model):
    model = scripted_model(
        [
            call("find_book", title="Emma"),
            say("It is on shelf B 12."),
            say("Two copies."),
        ]
    )

    bot = Chatbot(library.as_dict())
    result = library.run_generic(lambda: [bot.ask("Do you have Emma?"), bot.ask("How many?")])

    assert result.tool_call_count("find_book") == 1
    told = [message["role"] for message in model.requests[-1].messages]
    assert told.count("user") == 2, "the second question went out without the first"


def test_a_tool_that_fails_is_told_to_the_model(library, scripted_model):
    library.mock("find_book", side_effect=ConnectionError("the catalogue is down"), replace=True)
    scripted_model(
        [
            call("find_book", title="Emma"),
            when(tool_result="the catalogue is down").then(say("I cannot look that up right now.")),
        ]
    )

    bot = Chatbot(library.as_dict())
    result = library.run_generic(lambda: bot.ask("Do you have Emma?"))

    assert result.output_contains("cannot look that up")
