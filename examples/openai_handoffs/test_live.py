"""The same desk with the real model, where there is a key: does it hand over to the right colleague?"""

import pytest
from agent import triage

from unitai import statistical


@pytest.mark.unitai_skip_if_no_api_key
@pytest.mark.parametrize(
    ("message", "colleague"),
    [("You charged me twice.", "billing"), ("My router blinks red.", "support")],
)
@statistical(n=20, threshold=0.8, budget=0.10)
def test_the_right_colleague_is_asked(mock_toolkit, message, colleague):
    mock_toolkit.mock("find_customer", return_value={"customer": "C-7", "plan": "basic"})
    mock_toolkit.mock("refund", return_value={"refund_id": "R-456"})
    mock_toolkit.mock("restart_device", return_value={"restarted": True})

    result = mock_toolkit.run(triage, f"{message} I am ann@example.com.")

    handed = [step.new_value for step in result.trajectory.steps if step.key == "agent"]
    assert colleague in handed
