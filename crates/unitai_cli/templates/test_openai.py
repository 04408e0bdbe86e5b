"""A first test of an agent on OpenAI's client: no key, no network.

Put your own agent in the place of `refund_agent`. The tools are mocked, so nothing real
can happen, and the script answers in the model's place, inside the client.
"""

import json

import openai

from unitai.script import call, say, when


def _tool(name, **parameters):
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = [
    _tool("lookup_order", order_id={"type": "string"}),
    _tool("process_refund", order_id={"type": "string"}, amount={"type": "number"}),
]


def refund_agent(message, tools):
    """Stands for your agent: asks the model until it needs no tool any more."""
    client = openai.OpenAI(api_key="none")
    messages = [{"role": "user", "content": message}]
    while True:
        completion = client.chat.completions.create(
            model="gpt-4o", messages=messages, tools=TOOLS
        )
        answer = completion.choices[0].message
        if not answer.tool_calls:
            return answer.content
        messages.append(answer)
        for wanted in answer.tool_calls:
            found = tools[wanted.function.name](**json.loads(wanted.function.arguments))
            messages.append(
                {
                    "role": "tool",
                    "tool_call_id": wanted.id,
                    "content": json.dumps(found),
                }
            )


def test_an_order_is_looked_up_before_it_is_refunded(mock_toolkit, scripted_model):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "delivered", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            when(tool_result="delivered").then(
                call("process_refund", order_id="123", amount=49.99)
            ),
            say("Your refund of $49.99 is on its way."),
        ]
    )

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.llm_calls == 3
    assert result.total_cost < 0.01
