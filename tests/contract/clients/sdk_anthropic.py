"""Anthropic's SDK: messages."""

from __future__ import annotations

import json

import anthropic
from model_client import (
    IMAGE_BASE64,
    SYSTEM,
    TOOL,
    TOOL_SCHEMA,
    Call,
    ModelClient,
    Reply,
    every,
    opened,
    parsed,
    settled,
)


class Messages(ModelClient):
    """Ways: plain; stream; `.stream()`, the helper."""

    dialect = "anthropic"
    model = "claude-sonnet-4-5"
    other_model = "claude-haiku-4-5"
    rate_limited = anthropic.RateLimitError
    broken = anthropic.InternalServerError
    has_structured_output = hasattr(anthropic.resources.Messages, "parse")

    def connect(self):
        kind = anthropic.AsyncAnthropic if self.is_async else anthropic.Anthropic
        self.client = kind(api_key="none", **self.retries, base_url=self.base_url)

    async def close(self):
        await settled(self.client.close())

    def begin(self, text, *, image=None):
        said = [{"type": "text", "text": text}]
        if image is not None:
            source = {"type": "base64", "media_type": "image/png", "data": IMAGE_BASE64}
            said.append({"type": "image", "source": source})
        return [{"role": "user", "content": said}]

    def _options(self, conversation):
        tool = {"name": TOOL, "description": "Looks up an order.", "input_schema": TOOL_SCHEMA}
        return {
            "model": self.model,
            "max_tokens": 1000,
            "system": SYSTEM,
            "messages": conversation,
            "tools": [tool],
        }

    async def ask(self, conversation):
        messages, options = self.client.messages, self._options(conversation)
        if self.way == "plain":
            return self._reply(await settled(messages.create(**options)))
        if self.way == "helper":
            async with opened(messages.stream(**options)) as stream:
                pieces = sum(event.type == "text" for event in await every(stream))
                reply = self._reply(await settled(stream.get_final_message()))
            reply.pieces = pieces
            return reply
        return self._joined(await every(await settled(messages.create(stream=True, **options))))

    def _reply(self, message):
        text = "".join(block.text for block in message.content if block.type == "text")
        calls = [Call(block.name, block.input, block.id) for block in message.content if block.type == "tool_use"]
        turn = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}
        return Reply(text, calls, [turn], _usage(message.usage))

    def _joined(self, events):
        assert [events[0].type, events[-1].type] == ["message_start", "message_stop"]
        blocks, pieces, usage = {}, 0, None
        for event in events:
            if event.type == "content_block_start":
                blocks[event.index] = event.content_block.model_dump(exclude_none=True)
                blocks[event.index]["json"] = ""
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                blocks[event.index]["text"] += event.delta.text
                pieces += 1
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                blocks[event.index]["json"] += event.delta.partial_json
            elif event.type == "message_delta":
                usage = (_usage(events[0].message.usage)[0], event.usage.output_tokens)
        for block in blocks.values():
            told = block.pop("json")
            if block["type"] == "tool_use":
                block["input"] = parsed(told)
        content = list(blocks.values())
        text = "".join(block["text"] for block in content if block["type"] == "text")
        calls = [Call(block["name"], block["input"], block["id"]) for block in content if block["type"] == "tool_use"]
        return Reply(text, calls, [{"role": "assistant", "content": content}], usage, pieces)

    def results(self, results):
        given = [{"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(said)} for call, said in results]
        return [{"role": "user", "content": given}]

    async def structured(self, conversation, shape):
        options = self._options(conversation)
        return (await settled(self.client.messages.parse(**options, output_format=shape))).parsed_output


def _usage(usage):
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return (usage.input_tokens + cached, usage.output_tokens)
