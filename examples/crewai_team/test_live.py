"""The same team with the real model, where there is a key."""

import pytest
from agent import newsletter_crew

from unitai import statistical

PAGE = "https://bees.example/sleep"


@pytest.mark.unitai_skip_if_no_api_key
@statistical(n=10, threshold=0.6, budget=0.10)
def test_what_is_published_was_read(mock_toolkit):
    mock_toolkit.mock("search", return_value=[PAGE])
    mock_toolkit.mock("read_page", return_value="Bees sleep at night, for five to eight hours.")
    mock_toolkit.mock("publish", return_value={"sent": 120})

    result = mock_toolkit.run(newsletter_crew(), {"topic": "how bees sleep"})

    assert result.call_order_contains(["search", "read_page", "publish"])
