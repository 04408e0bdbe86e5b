"""Mistral's SDK: chat."""

from __future__ import annotations

import json

from mistralai.client import Mistral, errors
from model_client import IMAGE_BASE64, OPENAI_TOOL, SYSTEM, Call, ModelClient, Reply, every, parsed, settled


class Chat(ModelClient):
    """Ways: plain; stream."""

    dialect = "openai_chat"
    model = "mistral-small-latest"
    other_model = "mistral-large-latest"
    rate_limited = errors.SDKError
    broken = errors.SDKError
    has_structured_output = True

    def connect(self):
        self.client = Mistral(api_key="none", server_url=self.base_url)
        chat = self.client.chat
        if self.is_async:
            self.complete, self.stream, self.parse = chat.complete_async, chat.stream_async, chat.parse_async
        else:
            self.complete, self.stream, self.parse = chat.complete, chat.stream, chat.parse

    def begin(self, text, *, image=None):
        said = text
        if image is not None:
            url = f"data:image/png;base64,{IMAGE_BASE64}"
            said = [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]

    async def ask(self, conversation):
        options = {"model": self.model, "messages": conversation, "tools": [OPENAI_TOOL]}
        if self.way == "plain":
            answer = await settled(self.complete(**options))
            message = answer.choices[0].message
            texts, parts = [message.content or ""], enumerate(message.tool_calls or [])
        else:
            chunks = [event.data for event in await every(await settled(self.stream(**options)))]
            answer = chunks[-1]
            deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
            texts = [delta.content or "" for delta in deltas]
            parts = ((part.index, part) for delta in deltas for part in delta.tool_calls or [])
        calls = _calls(parts)
        text = "".join(texts)
        turn = {"role": "assistant", "content": text}
        if calls:
            turn["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.args)}}
                for c in calls
            ]
        usage = (answer.usage.prompt_tokens, answer.usage.completion_tokens)
        return Reply(text, calls, [turn], usage, sum(map(bool, texts)))

    def results(self, results):
        return [
            {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": json.dumps(said)}
            for call, said in results
        ]

    async def structured(self, conversation, shape):
        answer = self.parse(shape, model=self.model, messages=conversation)
        return (await settled(answer)).choices[0].message.parsed


def _calls(parts):
    made = {}
    for index, part in parts:
        call = made.setdefault(index, {"id": part.id, "name": "", "arguments": ""})
        call["name"] += part.function.name or ""
        call["arguments"] += part.function.arguments or ""
    return [Call(call["name"], parsed(call["arguments"]), call["id"]) for call in made.values()]
