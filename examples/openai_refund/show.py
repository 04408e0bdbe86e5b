"""Runs the agent once against a script and shows what it did, took and would have cost."""

import os

from agent import refund_agent

from unitai import MockToolkit, scripted_model
from unitai.script import call, say, when

os.environ.setdefault("OPENAI_API_KEY", "none")

toolkit = MockToolkit()
toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered", "amount": 49.99})
toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})
toolkit.mock("escalate", return_value={"ticket": "T-1"})

script = [
    call("lookup_order", order_id="123").using(180, 18),
    when(tool_result="delivered").then(call("process_refund", order_id="123", amount=49.99).using(230, 24)),
    say("Your refund of $49.99 is on its way.").using(280, 12),
]
with scripted_model(script, block_network=True):
    result = toolkit.run(refund_agent, "I want a refund for order #123")

print(result.report())
