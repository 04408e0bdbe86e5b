"""LiteLLM, which sends each provider's own dialect."""

from __future__ import annotations

import json

import litellm
from model_client import IMAGE_BASE64, OPENAI_TOOL, SYSTEM, Call, ModelClient, Reply, parsed


class _Completion(ModelClient):
    """Ways: plain; stream."""

    prefix: str
    #: What belongs to the address of a server, beside its name.
    base_path = ""
    rate_limited = litellm.RateLimitError
    broken = litellm.InternalServerError

    def connect(self):
        litellm.suppress_debug_info = True

    def begin(self, text, *, image=None):
        said = text
        if image is not None:
            url = f"data:image/png;base64,{IMAGE_BASE64}"
            said = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]

    async def ask(self, conversation):
        options = {
            "model": f"{self.prefix}/{self.model}",
            "messages": conversation,
            "tools": [OPENAI_TOOL],
            "api_key": "none",
            "api_base": self.base_url and self.base_url + self.base_path,
            "num_retries": 0,
            "max_retries": 0,
        }
        if self.way == "plain":
            answer = await litellm.acompletion(**options) if self.is_async else litellm.completion(**options)
            pieces = 1
        else:
            options["stream"] = True
            # The stream is both kinds of iterator, whatever it was made for.
            if self.is_async:
                chunks = [chunk async for chunk in await litellm.acompletion(**options)]
            else:
                chunks = list(litellm.completion(**options))
            pieces = sum(bool(chunk.choices[0].delta.content) for chunk in chunks)
            answer = litellm.stream_chunk_builder(chunks, messages=conversation)
        message = answer.choices[0].message
        calls = [Call(c.function.name, parsed(c.function.arguments), c.id) for c in message.tool_calls or []]
        usage = (answer.usage.prompt_tokens, answer.usage.completion_tokens) if self.way == "plain" else None
        turn = message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        return Reply(message.content or "", calls, [turn], usage, pieces)

    def results(self, results):
        return [
            {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": json.dumps(said)}
            for call, said in results
        ]


class OpenAI(_Completion):
    dialect, prefix, model, other_model = "openai_chat", "openai", "gpt-4o-mini", "gpt-4.1-nano"
    base_path = "/v1"


class Anthropic(_Completion):
    dialect, prefix, model, other_model = "anthropic", "anthropic", "claude-sonnet-4-5", "claude-haiku-4-5"


class Gemini(_Completion):
    dialect, prefix, model, other_model = "gemini", "gemini", "gemini-2.5-flash", "gemini-2.5-pro"

    def connect(self):
        super().connect()
        if self.is_streamed:
            # It asks when the stream is read, and then calls any failure one of the stream.
            self.rate_limited = self.broken = litellm.exceptions.MidStreamFallbackError
