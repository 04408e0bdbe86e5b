"""A research agent with six tools. The model chooses its way; what is published must have been read."""

import json

import openai

MODEL = "gpt-4o-mini"
INSTRUCTIONS = (
    "You research a question: search, read what you find, calculate what must be calculated, keep notes, "
    "and publish a short answer with its sources. Publish nothing that you have not read."
)
#: Requests to the model before the agent gives up.
PATIENCE = 12


def _tool(name, description, **parameters):
    schema = {"type": "object", "properties": parameters, "required": list(parameters), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TEXT = {"type": "string"}
TOOLS = [
    _tool("search_web", "Addresses of pages about something.", query=TEXT),
    _tool("search_papers", "Addresses of scientific papers about something.", query=TEXT),
    _tool("read_page", "The text at an address.", url=TEXT),
    _tool("calculate", "The value of a formula.", formula=TEXT),
    _tool("take_note", "Keeps a fact for later.", fact=TEXT),
    _tool("publish", "Publishes the answer.", text=TEXT, sources={"type": "array", "items": TEXT}),
]


def research(question, tools):
    """Lets the model work until it has nothing more to do."""
    client = openai.OpenAI()
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": question}]
    read = set()
    for _ in range(PATIENCE):
        completion = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        answer = completion.choices[0].message
        messages.append(answer.model_dump(exclude_none=True))
        if not answer.tool_calls:
            return answer.content
        for call in answer.tool_calls:
            arguments = json.loads(call.function.arguments)
            result = _use(tools, call.function.name, arguments, read)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return "I could not find out."


def _use(tools, name, arguments, read):
    """Uses a tool, unless it is to publish what was not read. Failures are told to the model."""
    if name == "publish" and (unread := [url for url in arguments["sources"] if url not in read]):
        return {"error": f"read it first: {', '.join(unread)}"}
    try:
        result = tools[name](**arguments)
    except Exception as error:
        return {"error": str(error)}
    if name == "read_page":
        read.add(arguments["url"])
    return result
