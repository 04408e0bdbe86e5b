"""OpenAI's SDK, releases 2 and 3: chat completions and responses."""

from __future__ import annotations

import json

import openai
from model_client import (
    IMAGE_BASE64,
    OPENAI_TOOL,
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


class _OpenAI(ModelClient):
    model = "gpt-4o-mini"
    other_model = "gpt-4.1-nano"
    rate_limited = openai.RateLimitError
    broken = openai.InternalServerError
    has_structured_output = True

    def connect(self):
        kind = openai.AsyncOpenAI if self.is_async else openai.OpenAI
        self.client = kind(api_key="none", **self.retries, base_url=self.base_url and f"{self.base_url}/v1")

    async def close(self):
        await settled(self.client.close())


class Chat(_OpenAI):
    """Ways: plain; stream; `.stream()`, the helper; raw responses."""

    dialect = "openai_chat"

    def begin(self, text, *, image=None):
        said = text
        if image is not None:
            url = f"data:image/png;base64,{IMAGE_BASE64}"
            said = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]

    async def ask(self, conversation):
        completions = self.client.chat.completions
        options = {"model": self.model, "messages": conversation, "tools": [OPENAI_TOOL]}
        if self.way == "plain":
            return self._reply(await settled(completions.create(**options)))
        if self.way == "raw":
            raw = await settled(completions.with_raw_response.create(**options))
            return self._reply(await settled(raw.parse()))
        if self.way == "helper":
            strict = {"type": "function", "function": {**OPENAI_TOOL["function"], "strict": True}}
            async with opened(completions.stream(**{**options, "tools": [strict]})) as stream:
                pieces = sum(event.type == "content.delta" for event in await every(stream))
                reply = self._reply(await settled(stream.get_final_completion()))
            reply.pieces = pieces
            return reply
        return self._joined(await every(await settled(completions.create(stream=True, **options))))

    @property
    def is_streamed(self):
        return self.way in ("stream", "helper")

    def _reply(self, completion):
        message = completion.choices[0].message
        calls = [Call(c.function.name, parsed(c.function.arguments), c.id) for c in message.tool_calls or []]
        usage = completion.usage and (completion.usage.prompt_tokens, completion.usage.completion_tokens)
        # What the helper adds to the message is for its users, not for the wire.
        turn = message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        for made in turn.get("tool_calls", ()):
            made["function"].pop("parsed_arguments", None)
        return Reply(message.content or "", calls, [turn], usage)

    def _joined(self, chunks):
        texts, calls = [], {}
        for chunk in chunks:
            # The usage that was not asked for must not be seen.
            assert chunk.choices, "a chunk without choices"
            delta = chunk.choices[0].delta
            texts.append(delta.content or "")
            for part in delta.tool_calls or []:
                call = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                call["id"] += part.id or ""
                call["name"] += part.function.name or ""
                call["arguments"] += part.function.arguments or ""
        made = [Call(call["name"], parsed(call["arguments"]), call["id"]) for call in calls.values()]
        turn = {"role": "assistant", "content": "".join(texts)}
        if made:
            turn["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.args)}}
                for c in made
            ]
        return Reply("".join(texts), made, [turn], pieces=sum(map(bool, texts)))

    def results(self, results):
        return [{"role": "tool", "tool_call_id": call.id, "content": json.dumps(said)} for call, said in results]

    async def structured(self, conversation, shape):
        completions = self.client.chat.completions
        options = {"model": self.model, "messages": conversation, "response_format": shape}
        if self.way == "helper":
            async with opened(completions.stream(**options)) as stream:
                final = await settled(stream.get_final_completion())
            return final.choices[0].message.parsed
        return (await settled(completions.parse(**options))).choices[0].message.parsed


class Responses(_OpenAI):
    """Ways: plain; stream; `.stream()`, the helper."""

    dialect = "openai_responses"

    def begin(self, text, *, image=None):
        said = [{"type": "input_text", "text": text}]
        if image is not None:
            said.append({"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE_BASE64}", "detail": "low"})
        return [{"role": "user", "content": said}]

    def _options(self, conversation):
        tool = {"type": "function", "name": TOOL, "description": "Looks up an order.", "parameters": TOOL_SCHEMA}
        return {
            "model": self.model,
            "input": conversation,
            "instructions": SYSTEM,
            "tools": [{**tool, "strict": False}],
        }

    async def ask(self, conversation):
        responses, options = self.client.responses, self._options(conversation)
        if self.way == "plain":
            return self._reply(await settled(responses.create(**options)))
        if self.way == "helper":
            async with opened(responses.stream(**options)) as stream:
                events = await every(stream)
                final = await settled(stream.get_final_response())
        else:
            events = await every(await settled(responses.create(stream=True, **options)))
            final = events[-1].response
        assert events[-1].type == "response.completed"
        assert [event.sequence_number for event in events] == list(range(len(events)))
        reply = self._reply(final)
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
        assert "".join(deltas) == reply.text
        reply.pieces = len(deltas)
        return reply

    def _reply(self, response):
        made = [item for item in response.output if item.type == "function_call"]
        calls = [Call(item.name, parsed(item.arguments), item.call_id) for item in made]
        turn = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output]
        for item in turn:
            for part in item.get("content") or ():
                part.pop("parsed", None)
        usage = (response.usage.input_tokens, response.usage.output_tokens)
        return Reply(response.output_text, calls, turn, usage)

    def results(self, results):
        return [
            {"type": "function_call_output", "call_id": call.id, "output": json.dumps(said)} for call, said in results
        ]

    async def structured(self, conversation, shape):
        responses, options = self.client.responses, self._options(conversation)
        if self.way == "helper":
            async with opened(responses.stream(**options, text_format=shape)) as stream:
                return (await settled(stream.get_final_response())).output_parsed
        return (await settled(responses.parse(**options, text_format=shape))).output_parsed
