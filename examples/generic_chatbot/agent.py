"""A chatbot of our own making, without a framework: Anthropic's client, a loop, and a memory."""

import json

import anthropic

MODEL = "claude-haiku-4-5"
INSTRUCTIONS = "You answer for a library. Look things up before you answer; say so if you cannot."
TOOLS = [
    {
        "name": "opening_hours",
        "description": "When the library is open on a day.",
        "input_schema": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
    },
    {
        "name": "find_book",
        "description": "Shelf and copies of a book.",
        "input_schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    },
]


class Chatbot:
    """One conversation."""

    def __init__(self, tools):
        self.tools = tools
        self.client = anthropic.Anthropic()
        self.messages = []

    def ask(self, text):
        """Answers, with whatever tools the model wants."""
        self.messages.append({"role": "user", "content": text})
        while True:
            answer = self.client.messages.create(
                model=MODEL, max_tokens=500, system=INSTRUCTIONS, tools=TOOLS, messages=self.messages
            )
            self.messages.append({"role": "assistant", "content": answer.content})
            wanted = [block for block in answer.content if block.type == "tool_use"]
            if not wanted:
                return "".join(block.text for block in answer.content if block.type == "text")
            self.messages.append({"role": "user", "content": [self._result(block) for block in wanted]})

    def _result(self, wanted):
        """What a tool gave. One that fails tells the model so: it must not make something up."""
        try:
            content = json.dumps(self.tools[wanted.name](**wanted.input))
        except Exception as error:
            content = f"failed: {error}"
        return {"type": "tool_result", "tool_use_id": wanted.id, "content": content}
