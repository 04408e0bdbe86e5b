"""Google's SDK: generate_content."""

from __future__ import annotations

from google import genai
from google.genai import errors, types
from model_client import SYSTEM, TOOL, TOOL_SCHEMA, Call, ModelClient, Reply, every, settled


class GenerateContent(ModelClient):
    """Ways: plain; stream."""

    dialect = "gemini"
    model = "gemini-2.5-flash"
    other_model = "gemini-2.5-pro"
    rate_limited = errors.ClientError
    broken = errors.ServerError
    has_structured_output = True

    def connect(self):
        self.client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=self.base_url))
        self.models = self.client.aio.models if self.is_async else self.client.models

    async def close(self):
        if self.is_async:
            await self.client.aio.aclose()
        self.client.close()

    def begin(self, text, *, image=None):
        parts = [types.Part(text=text)]
        if image is not None:
            parts.append(types.Part.from_bytes(data=image, mime_type="image/png"))
        return [types.Content(role="user", parts=parts)]

    def _config(self, **more):
        return types.GenerateContentConfig(system_instruction=SYSTEM, **more)

    async def ask(self, conversation):
        declared = types.FunctionDeclaration(
            name=TOOL, description="Looks up an order.", parameters_json_schema=TOOL_SCHEMA
        )
        config = self._config(tools=[types.Tool(function_declarations=[declared])])
        options = {"model": self.model, "contents": conversation, "config": config}
        if self.way == "plain":
            chunks = [await settled(self.models.generate_content(**options))]
        else:
            chunks = await every(await settled(self.models.generate_content_stream(**options)))
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts or []]
        told = [part.text for part in parts if part.text and not part.thought]
        calls = [
            Call(part.function_call.name, part.function_call.args, part.function_call.id)
            for part in parts
            if part.function_call
        ]
        used = chunks[-1].usage_metadata
        usage = (used.prompt_token_count, (used.candidates_token_count or 0) + (used.thoughts_token_count or 0))
        return Reply("".join(told), calls, [types.Content(role="model", parts=parts)], usage, len(told))

    def results(self, results):
        parts = [types.Part.from_function_response(name=call.name, response=said) for call, said in results]
        return [types.Content(role="user", parts=parts)]

    async def structured(self, conversation, shape):
        config = self._config(response_mime_type="application/json", response_schema=shape)
        answer = self.models.generate_content(model=self.model, contents=conversation, config=config)
        return (await settled(answer)).parsed
