"""Ollama's SDK: chat."""

from __future__ import annotations

import json

import ollama
from model_client import OPENAI_TOOL, SYSTEM, Call, ModelClient, Reply, every, settled


class Chat(ModelClient):
    """Ways: plain; stream."""

    dialect = "ollama"
    model = "llama3.2"
    other_model = "qwen3"
    rate_limited = ollama.ResponseError
    broken = ollama.ResponseError
    has_structured_output = True

    def connect(self):
        self.client = (ollama.AsyncClient if self.is_async else ollama.Client)(
            host=self.base_url or "http://localhost:11434"
        )

    def begin(self, text, *, image=None):
        said = {"role": "user", "content": text}
        if image is not None:
            said["images"] = [image]
        return [{"role": "system", "content": SYSTEM}, said]

    async def ask(self, conversation):
        options = {"model": self.model, "messages": conversation, "tools": [OPENAI_TOOL]}
        if self.way == "plain":
            chunks = [await settled(self.client.chat(**options))]
        else:
            chunks = await every(await settled(self.client.chat(stream=True, **options)))
        told = [chunk.message.content for chunk in chunks if chunk.message.content]
        made = [call for chunk in chunks for call in chunk.message.tool_calls or []]
        calls = [Call(call.function.name, dict(call.function.arguments)) for call in made]
        turn = {"role": "assistant", "content": "".join(told), "tool_calls": [call.model_dump() for call in made]}
        last = chunks[-1]
        return Reply("".join(told), calls, [turn], (last.prompt_eval_count, last.eval_count), len(told))

    def results(self, results):
        return [{"role": "tool", "tool_name": call.name, "content": json.dumps(said)} for call, said in results]

    async def structured(self, conversation, shape):
        options = {"model": self.model, "messages": conversation, "format": shape.model_json_schema()}
        return shape.model_validate_json((await settled(self.client.chat(**options))).message.content)
