"""The same agent with the real model, where there is a key: a verdict at stated error rates, and a cap on money."""

import pytest
from agent import research

from unitai import statistical

PAGE = "https://space.example/mars"


@pytest.mark.unitai_skip_if_no_api_key
@statistical(n=30, threshold=0.8, mode="sequential", budget=0.25)
def test_the_model_publishes_what_it_has_read(mock_toolkit):
    mock_toolkit.mock("search_web", return_value={"found": [PAGE]})
    mock_toolkit.mock("search_papers", return_value={"found": []})
    mock_toolkit.mock("read_page", return_value={"text": "Mars is 228 million km from the Sun on average."})
    mock_toolkit.mock("calculate", return_value={"value": 760})
    mock_toolkit.mock("take_note", return_value={"kept": True})
    mock_toolkit.mock("publish", return_value={"published": True})

    result = mock_toolkit.run(research, "How long does light take from the Sun to Mars?")

    assert result.tool_called_before("read_page", "publish")
    assert result.tool_called_with_partial("publish", sources=[PAGE])
