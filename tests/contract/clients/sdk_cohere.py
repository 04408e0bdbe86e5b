"""Cohere's SDK: chat, in its second version."""

from __future__ import annotations

import json

import cohere
from cohere.errors import InternalServerError, TooManyRequestsError
from model_client import IMAGE_BASE64, OPENAI_TOOL, SYSTEM, Call, ModelClient, Reply, every, parsed, settled


class Chat(ModelClient):
    """Ways: plain; stream."""

    dialect = "cohere"
    model = "command-a-03-2025"
    other_model = "command-r-08-2024"
    rate_limited = TooManyRequestsError
    broken = InternalServerError
    has_structured_output = True

    def connect(self):
        make = cohere.AsyncClientV2 if self.is_async else cohere.ClientV2
        self.client = make("none", base_url=self.base_url)

    @property
    def options(self):
        return {"model": self.model, **({"request_options": self.retries} if self.retries else {})}

    def begin(self, text, *, image=None):
        said = text
        if image is not None:
            url = {"url": f"data:image/png;base64,{IMAGE_BASE64}"}
            said = [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]

    async def ask(self, conversation):
        options = {**self.options, "messages": conversation, "tools": [OPENAI_TOOL]}
        if self.way == "plain":
            answer = await settled(self.client.chat(**options))
            texts = [part.text for part in answer.message.content or [] if part.type == "text"]
            told = [(call.id, call.function.name, call.function.arguments) for call in answer.message.tool_calls or []]
            counts = answer.usage
        else:
            texts, told, counts = _joined(await every(self.client.chat_stream(**options)))
        text = "".join(texts)
        turn = {"role": "assistant"}
        if text:
            turn["content"] = text
        if told:
            turn["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": args}} for id, name, args in told
            ]
        used = (int(counts.billed_units.input_tokens), int(counts.billed_units.output_tokens))
        return Reply(text, [Call(name, parsed(args), id) for id, name, args in told], [turn], used, len(texts))

    def results(self, results):
        return [{"role": "tool", "tool_call_id": call.id, "content": json.dumps(said)} for call, said in results]

    async def structured(self, conversation, shape):
        wanted = {"type": "json_object", "json_schema": shape.model_json_schema()}
        options = {**self.options, "messages": conversation, "response_format": wanted}
        return shape.model_validate_json((await settled(self.client.chat(**options))).message.content[0].text)


def _joined(events):
    texts, calls, counts = [], {}, None
    for event in events:
        if event.type == "content-delta":
            texts.append(event.delta.message.content.text)
        elif event.type == "tool-call-start":
            call = event.delta.message.tool_calls
            calls[event.index] = [call.id, call.function.name, call.function.arguments]
        elif event.type == "tool-call-delta":
            calls[event.index][2] += event.delta.message.tool_calls.function.arguments
        elif event.type == "message-end":
            counts = event.delta.usage
    return texts, [tuple(call) for call in calls.values()], counts
