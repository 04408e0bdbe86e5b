"""Semantic Kernel, with chat completion agents that have the tools as one plugin."""

from __future__ import annotations

from typing import Any, ClassVar

import shop
from framework import Fixture, turns
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.completion_usage import CompletionUsage
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.contents import (
    ChatMessageContent,
    FunctionCallContent,
    StreamingChatMessageContent,
    StreamingTextContent,
    TextContent,
)
from semantic_kernel.functions import KernelPlugin, kernel_function

from unitai.script import call, say


def plugin(*tools: Any, name: str = "Shop") -> KernelPlugin:
    """Tools of the shop as a plugin. Their documentation is what the model is told."""
    functions = [kernel_function(name=each.__name__, description=each.__doc__)(each) for each in tools]
    return KernelPlugin(name=name, functions=functions)


def service(base_url: str | None = None) -> OpenAIChatCompletion:
    """The model of every agent here."""
    address = {} if base_url is None else {"base_url": f"{base_url}/v1"}
    client = AsyncOpenAI(max_retries=0, **address)
    return OpenAIChatCompletion(ai_model_id=SemanticKernel.model, async_client=client)


class InHouse(ChatCompletionClientBase):
    """A model in this process."""

    SUPPORTS_FUNCTION_CALLING: ClassVar[bool] = True
    answers: Any

    async def _inner_get_chat_message_contents(self, *args: Any, **options: Any) -> list[ChatMessageContent]:
        return [ChatMessageContent(**self._turn(text=TextContent))]

    async def _inner_get_streaming_chat_message_contents(self, *args: Any, **options: Any) -> Any:
        yield [StreamingChatMessageContent(choice_index=0, **self._turn(text=streamed))]

    def _turn(self, text: Any) -> dict[str, Any]:
        said, prompt, completion = next(self.answers)
        called = FunctionCallContent(id="call_1", name="Shop-lookup_order", arguments='{"order_id": "123"}')
        usage = CompletionUsage(prompt_tokens=prompt, completion_tokens=completion)
        metadata = {} if prompt is None else {"usage": usage}
        return {"role": "assistant", "items": [text(text=said) if said else called], "metadata": metadata}


def streamed(text: str) -> StreamingTextContent:
    """A piece of an answer."""
    return StreamingTextContent(choice_index=0, text=text)


class SemanticKernel(Fixture):
    """Agents with a kernel of their own."""

    name = "semantic_kernel"
    distribution = "semantic-kernel"
    chokepoints = (
        ("semantic_kernel.filters.kernel_filters_extension", "KernelFilterExtension", "construct_call_stack"),
        ("semantic_kernel.kernel", "Kernel", "invoke_function_call"),
        (
            "semantic_kernel.connectors.ai.chat_completion_client_base",
            "ChatCompletionClientBase",
            "__getattribute__",
        ),
        *(
            (f"semantic_kernel.agents.{module}", agent, name)
            for module, agent in (
                ("chat_completion.chat_completion_agent", "ChatCompletionAgent"),
                ("open_ai.openai_responses_agent", "OpenAIResponsesAgent"),
            )
            for name in ("get_response", "invoke", "invoke_stream")
        ),
    )

    def spoken(self, name: str) -> str:
        return f"Shop-{name}" if name in self.tool_names else name

    def agent(self, base_url: str | None = None) -> Any:
        return ChatCompletionAgent(name="support", service=service(base_url), plugins=[plugin(*shop.TOOLS)])

    def in_house(self, reports: bool = True) -> Any:
        model = InHouse(ai_model_id="in-house", answers=turns(reports))
        return ChatCompletionAgent(name="support", service=model, plugins=[plugin(*shop.TOOLS)])

    def team(self) -> Any:
        billing = ChatCompletionAgent(name="billing", service=service(), plugins=[plugin(shop.refund)])
        return ChatCompletionAgent(name="triage", service=service(), plugins=[plugin(shop.lookup_order), billing])

    def team_script(self) -> list[Any]:
        return [
            call("billing-billing", messages="Refund order 123."),
            call("Shop-refund", order_id="123", amount=10.0),
            say("It is done."),
            say("Refunded."),
        ]

    def state(self, agent: Any) -> Any:
        functions = {
            each.fully_qualified_name: (id(each), id(each.method))
            for plugin in agent.kernel.plugins.values()
            for each in plugin
        }
        filters = list(agent.kernel.function_invocation_filters), list(agent.kernel.auto_function_invocation_filters)
        return functions, filters, list(map(id, agent.kernel.services.values())), agent.model_dump(exclude={"kernel"})

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        async def run() -> str:
            return str(await agent.get_response(messages=input))

        return run()

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        return "".join([str(piece) async for piece in agent.invoke_stream(messages=input)])


FIXTURE = SemanticKernel()
