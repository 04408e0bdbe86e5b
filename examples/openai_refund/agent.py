"""A support agent on OpenAI's own client: the model decides, and the agent runs the tools it asks for."""

import json

import openai

MODEL = "gpt-4o"
INSTRUCTIONS = (
    "You handle refunds. Look an order up before you refund it, refund only what was delivered, "
    "and escalate what you cannot settle."
)


def _tool(name, description, **parameters):
    schema = {"type": "object", "properties": parameters, "required": list(parameters), "additionalProperties": False}
    function = {"name": name, "description": description, "parameters": schema, "strict": True}
    return {"type": "function", "function": function}


TOOLS = [
    _tool("lookup_order", "Status and amount of an order.", order_id={"type": "string"}),
    _tool("process_refund", "Pays an order back.", order_id={"type": "string"}, amount={"type": "number"}),
    _tool("escalate", "Hands the case to a person.", reason={"type": "string"}),
]


def refund_agent(message, tools):
    """Talks to the model until it answers without asking for a tool."""
    client = openai.OpenAI()
    messages = _conversation(message)
    while True:
        completion = client.chat.completions.create(
            model=MODEL, messages=messages, tools=TOOLS, max_completion_tokens=300
        )
        answer = completion.choices[0].message
        if not answer.tool_calls:
            return answer.content
        messages += _turn(answer, tools)


def streaming_refund_agent(message, tools):
    """The same, handing text on as it comes."""
    client = openai.OpenAI()
    messages = _conversation(message)
    while True:
        with client.chat.completions.stream(
            model=MODEL, messages=messages, tools=TOOLS, max_completion_tokens=300
        ) as stream:
            for event in stream:
                if event.type == "content.delta":
                    yield event.delta
            answer = stream.get_final_completion().choices[0].message
        if not answer.tool_calls:
            return
        messages += _turn(answer, tools)


def _conversation(message):
    return [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": message}]


def _turn(answer, tools):
    """What the model asked for, and what its tools gave, as messages."""
    calls = [(call.id, call.function.name, call.function.arguments) for call in answer.tool_calls]
    asked = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    results = [
        {"role": "tool", "tool_call_id": id, "content": _result(tools[name], arguments)}
        for id, name, arguments in calls
    ]
    return [{"role": "assistant", "content": answer.content, "tool_calls": asked}, *results]


def _result(tool, arguments):
    """A tool that fails tells the model so: it may know another way."""
    try:
        return json.dumps(tool(**json.loads(arguments)))
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})
