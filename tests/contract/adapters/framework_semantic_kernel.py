"""Semantic Kernel, with chat completion agents that have the tools as one plugin."""

from __future__ import annotations

from typing import Any

import shop
from framework import Fixture
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
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


class SemanticKernel(Fixture):
    """Agents with a kernel of their own."""

    name = "semantic_kernel"
    distribution = "semantic-kernel"
    chokepoints = (
        ("semantic_kernel.filters.kernel_filters_extension", "KernelFilterExtension", "construct_call_stack"),
        ("semantic_kernel.kernel", "Kernel", "invoke_function_call"),
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
