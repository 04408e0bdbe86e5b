"""What the agent must do, whichever way the model takes. No key, no network.

`MOODS` plays a model that does not do the same twice: at each turn it takes one of several ways. Each run draws anew,
and the seeds make all of it repeatable.
"""

import pytest
from agent import research

from unitai.faults import error, faults, on_tool
from unitai.script import call, choose, say, together, when

QUESTION = "How long does light take from the Sun to Mars?"
WEB, PAPER = "https://space.example/mars", "https://papers.example/42"
ANSWER = "Light takes 760 seconds."

PUBLISH_WEB = call("publish", text=ANSWER, sources=[WEB])
PUBLISH_PAPER = call("publish", text=ANSWER, sources=[PAPER])
MOODS = [
    # What was refused, it reads.
    when(tool_result="read it first").always(call("read_page", url=WEB)),
    when(tool="search_web").always(choose(call("read_page", url=WEB), PUBLISH_WEB, weights=[2, 1], seed=1)),
    when(tool="search_papers").always(call("read_page", url=PAPER)),
    when(tool="publish").always(say(ANSWER)),
    when(tool="calculate").always(choose(PUBLISH_WEB, together(call("take_note", fact=ANSWER), PUBLISH_WEB), seed=2)),
    when(tool_result="page").always(choose(call("calculate", formula="228e6 / 3e5"), PUBLISH_WEB, seed=3)),
    when(tool_result="paper").always(PUBLISH_PAPER),
    when(tool_result="down").always(choose(call("search_papers", query="Mars"), say("I cannot search now."), seed=4)),
    when(QUESTION).always(choose(call("search_web", query="Mars"), call("search_papers", query="Mars"), seed=5)),
]


@pytest.fixture
def library(mock_toolkit, monkeypatch):
    # The client wants a key to be there. Any will do.
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    mock_toolkit.mock("search_web", return_value={"found": [WEB]})
    mock_toolkit.mock("search_papers", return_value={"found": [PAPER]})
    mock_toolkit.mock(
        "read_page",
        side_effect=lambda args: {"text": f"A {'paper' if args['url'] == PAPER else 'page'}: 760 seconds."},
    )
    mock_toolkit.mock("calculate", return_value={"value": 760})
    mock_toolkit.mock("take_note", return_value={"kept": True})
    mock_toolkit.mock("publish", return_value={"published": True})
    # The agent refuses to publish what it has not read, so that the call does not come to the tool.
    mock_toolkit.allow_refusal("publish")
    return mock_toolkit


@pytest.mark.unitai_statistical(n=40, threshold=0.9)
def test_nothing_is_published_that_was_not_read(library, scripted_model):
    scripted_model(MOODS)

    result = library.run(research, QUESTION)

    assert result.tool_called_before("read_page", "publish")
    assert result.tool_call_count("publish") == 1


@pytest.mark.unitai_statistical(n=40, threshold=0.9)
def test_an_outage_of_the_search_never_ends_in_an_invention(library, scripted_model):
    scripted_model(MOODS)

    with faults([on_tool("search_web", chance=0.5).then(error("the search is down"))], seed=7):
        result = library.run(research, QUESTION)

    assert result.succeeded
    assert result.tool_was_called("publish") or result.output_contains("cannot search")
    assert result.did_not_invent()


def test_one_way_in_full(library, scripted_model):
    scripted_model(
        [
            together(call("search_web", query="Mars"), call("search_papers", query="Mars light")),
            together(call("read_page", url=WEB), call("read_page", url=PAPER)),
            [call("calculate", formula="228e6 / 3e5"), call("take_note", fact="760 seconds")],
            call("publish", text=ANSWER, sources=[WEB, PAPER]),
            say(ANSWER),
        ]
    )

    result = library.run(research, QUESTION)

    assert result.call_order_contains(["search_papers", "read_page", "calculate", "publish"])
    assert result.tool_called_with_partial("publish", sources=[WEB, PAPER])
    assert result.llm_calls == 5


def test_a_model_that_never_comes_to_an_end_is_given_up(library, scripted_model):
    scripted_model([when(QUESTION).always(call("take_note", fact="hm"))])

    result = library.run(research, QUESTION)

    assert result.output == "I could not find out."
    assert result.llm_calls == 12
