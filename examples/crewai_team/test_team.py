"""Who does what in the team, and what is handed on. No key, no network: the model is scripted."""

import pytest
from agent import newsletter_crew

from unitai.script import call, say, when

PAGE = "https://bees.example/sleep"
FACT = f"Bees sleep at night. Source: {PAGE}"


@pytest.fixture
def crew(monkeypatch):
    # The client wants a key to be there. Any will do.
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return newsletter_crew()


@pytest.fixture
def desk(mock_toolkit):
    mock_toolkit.mock("search", return_value=[PAGE])
    mock_toolkit.mock("read_page", return_value="Bees sleep at night.")
    mock_toolkit.mock("publish", return_value={"sent": 120})
    return mock_toolkit


def researcher(*steps):
    return when(system="You are researcher").then(*steps)


def editor(*steps):
    return when(system="You are editor").then(*steps)


PUBLISH = editor(call("publish", title="Bees", text="Bees sleep at night."), say("Bees sleep at night."))


def test_the_editor_publishes_what_the_researcher_found(crew, desk, scripted_model):
    scripted_model([researcher(call("search", query="bees"), call("read_page", url=PAGE), say(FACT)), PUBLISH])

    result = desk.run(crew, {"topic": "bees"})

    assert result.call_order() == ["search", "read_page", "publish"]
    by = {step.tool_name: step.agent_id for step in result.trajectory.steps if step.step_type == "tool_call"}
    assert by == {"search": "researcher", "read_page": "researcher", "publish": "editor"}


def test_the_editor_is_told_the_source(crew, desk, scripted_model):
    model = scripted_model([researcher(say(FACT)), PUBLISH])

    desk.run(crew, {"topic": "bees"})

    asked = next(request for request in model.requests if "You are editor" in request.system)
    assert PAGE in asked.last_message
    assert asked.tools == ["publish"]


def test_a_researcher_without_a_source_is_asked_again(crew, desk, scripted_model):
    scripted_model([researcher(say("Bees sleep."), call("read_page", url=PAGE), say(FACT)), PUBLISH])

    result = desk.run(crew, {"topic": "bees"})

    assert result.tool_called_before("read_page", "publish")


def test_a_search_that_is_down_does_not_stop_the_team(crew, desk, scripted_model):
    desk.mock("search", side_effect=ConnectionError("the search is down"), replace=True)
    scripted_model([researcher(call("search", query="bees"), call("read_page", url=PAGE), say(FACT)), PUBLISH])

    result = desk.run(crew, {"topic": "bees"})

    assert result.succeeded
    assert result.tool_called_before("read_page", "publish")
