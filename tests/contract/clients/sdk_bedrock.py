"""Amazon's SDK: Bedrock's Converse."""

from __future__ import annotations

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from model_client import SYSTEM, TOOL, TOOL_SCHEMA, Call, ModelClient, Reply, parsed


class Converse(ModelClient):
    """Ways: plain; stream."""

    dialect = "bedrock"
    model = "anthropic.claude-3-5-sonnet-20240620-v1:0"
    other_model = "amazon.nova-pro-v1:0"

    def connect(self):
        config = Config(retries={"total_max_attempts": 1}, region_name="us-east-1")
        self.client = boto3.client("bedrock-runtime", config=config, endpoint_url=self.base_url)
        self.rate_limited = self.client.exceptions.ThrottlingException
        self.broken = self.client.exceptions.InternalServerException
        assert issubclass(self.broken, ClientError)

    async def close(self):
        self.client.close()

    def begin(self, text, *, image=None):
        said = [{"text": text}]
        if image is not None:
            said.append({"image": {"format": "png", "source": {"bytes": image}}})
        return [{"role": "user", "content": said}]

    async def ask(self, conversation):
        spec = {"name": TOOL, "description": "Looks up an order.", "inputSchema": {"json": TOOL_SCHEMA}}
        options = {
            "modelId": self.model,
            "messages": conversation,
            "system": [{"text": SYSTEM}],
            "toolConfig": {"tools": [{"toolSpec": spec}]},
        }
        if self.way == "plain":
            answer = self.client.converse(**options)
            content, usage, pieces = answer["output"]["message"]["content"], answer["usage"], 1
        else:
            content, usage, pieces = _joined(self.client.converse_stream(**options)["stream"])
        text = "".join(part.get("text", "") for part in content)
        made = [part["toolUse"] for part in content if "toolUse" in part]
        calls = [Call(call["name"], call["input"], call["toolUseId"]) for call in made]
        cached = usage.get("cacheReadInputTokens", 0) + usage.get("cacheWriteInputTokens", 0)
        used = (usage["inputTokens"] + cached, usage["outputTokens"])
        return Reply(text, calls, [{"role": "assistant", "content": content}], used, pieces)

    def results(self, results):
        given = [{"toolResult": {"toolUseId": call.id, "content": [{"json": said}]}} for call, said in results]
        return [{"role": "user", "content": given}]


def _joined(stream):
    blocks, usage, pieces = {}, None, 0
    for event in stream:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        elif "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "text" in delta:
                blocks.setdefault(index, {"text": ""})["text"] += delta["text"]
                pieces += 1
            else:
                blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
        elif "metadata" in event:
            usage = event["metadata"]["usage"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = parsed(block["toolUse"]["input"])
    return list(blocks.values()), usage, pieces
