"""The same bot with the real model, where there is a key."""

import pytest
from agent import MODEL, Chatbot

from unitai import statistical


@pytest.mark.unitai_skip_if_no_api_key(model=MODEL)
@statistical(n=10, threshold=0.6, budget=0.10)
def test_the_model_makes_no_hours_up(mock_toolkit):
    mock_toolkit.mock("opening_hours", side_effect=ConnectionError("the calendar is down"))
    mock_toolkit.mock("find_book", return_value={"shelf": "B 12", "copies": 2}, optional=True)
    bot = Chatbot(mock_toolkit.as_dict())

    result = mock_toolkit.run_generic(lambda: bot.ask("When are you open on Friday?"))

    assert result.tool_was_called("opening_hours")
    assert result.did_not_invent()
