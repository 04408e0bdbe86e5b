"""An agent without a framework: OpenAI's client, a loop, and the tools it is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

MODEL = "gpt-4o-mini"


def simple_agent(message: str, tools: Mapping[str, Callable[..., Any]], *, model: str = MODEL, **options: Any) -> str:
    """Asks the model, runs the tools that it calls, and gives back what it says in the end.

    The model is offered `describe(tools)`: of what a tool takes it knows no more than that it is an order's id.
    """
    import openai

    client = openai.OpenAI(**options)
    messages: list[Any] = [
        {"role": "system", "content": "You answer questions about orders. Use the tools."},
        {"role": "user", "content": message},
    ]
    while True:
        completion = client.chat.completions.create(
            model=model, messages=messages, tools=describe(tools), max_completion_tokens=200
        )
        answer = completion.choices[0].message
        if not answer.tool_calls:
            return answer.content or ""
        messages.append(answer.model_dump(exclude_none=True))
        for call in answer.tool_calls:
            result = tools[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def describe(tools: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """The tools as the provider wants to have them told."""
    schema = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    return [{"type": "function", "function": {"name": name, "parameters": schema}} for name in tools]
