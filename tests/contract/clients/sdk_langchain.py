"""LangChain's chat models."""

from __future__ import annotations

import importlib
import json
from functools import reduce
from operator import add

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from model_client import IMAGE_BASE64, OPENAI_TOOL, SYSTEM, Call, ModelClient, Reply, every


class _Chat(ModelClient):
    """Ways: plain; stream."""

    has_structured_output = True

    def make(self):
        raise NotImplementedError

    def connect(self):
        self.chat = self.make()

    def begin(self, text, *, image=None):
        said = text
        if image is not None:
            picture = {"type": "image", "base64": IMAGE_BASE64, "mime_type": "image/png"}
            said = [{"type": "text", "text": text}, picture]
        return [SystemMessage(SYSTEM), HumanMessage(said)]

    async def ask(self, conversation):
        chat = self.chat.bind_tools([OPENAI_TOOL])
        if self.way == "plain":
            chunks = [await chat.ainvoke(conversation) if self.is_async else chat.invoke(conversation)]
        else:
            chunks = await every(chat.astream(conversation) if self.is_async else chat.stream(conversation))
        whole = reduce(add, chunks)
        calls = [Call(call["name"], call["args"], call["id"]) for call in whole.tool_calls]
        used = whole.usage_metadata and (whole.usage_metadata["input_tokens"], whole.usage_metadata["output_tokens"])
        return Reply(_text(whole), calls, [whole], used, sum(bool(_text(chunk)) for chunk in chunks))

    def results(self, results):
        return [ToolMessage(json.dumps(said), tool_call_id=call.id) for call, said in results]

    async def structured(self, conversation, shape):
        chat = self.chat.with_structured_output(shape, method="json_schema")
        return await chat.ainvoke(conversation) if self.is_async else chat.invoke(conversation)


class ChatOpenAI(_Chat):
    dialect = "openai_chat"
    model = "gpt-4o-mini"
    other_model = "gpt-4.1-nano"
    is_responses = False

    def make(self):
        openai = importlib.import_module("openai")
        self.rate_limited, self.broken = openai.RateLimitError, openai.InternalServerError
        kind = importlib.import_module("langchain_openai").ChatOpenAI
        base_url = self.base_url and f"{self.base_url}/v1"
        return kind(
            model=self.model, api_key="none", **self.retries, base_url=base_url, use_responses_api=self.is_responses
        )


class ChatOpenAIResponses(ChatOpenAI):
    dialect = "openai_responses"
    is_responses = True


class ChatAnthropic(_Chat):
    dialect = "anthropic"
    model = "claude-sonnet-4-5"
    other_model = "claude-haiku-4-5"

    def make(self):
        anthropic = importlib.import_module("anthropic")
        self.rate_limited, self.broken = anthropic.RateLimitError, anthropic.InternalServerError
        kind = importlib.import_module("langchain_anthropic").ChatAnthropic
        return kind(model=self.model, api_key="none", **self.retries, base_url=self.base_url)


def _text(message):
    if isinstance(message.content, str):
        return message.content
    return "".join(part.get("text", "") for part in message.content if part.get("type") == "text")
