"""A provider to stand behind a gateway: it asks for a tool first, and speaks when it has the tool's result."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "traffic")]


@pytest.fixture
def provider():
    from loopback import Server

    with Server() as server:
        server.respond = answer
        yield server


def answer(asked):
    """An answer in OpenAI's words, streamed if it was asked for as a stream."""
    from loopback import Answered

    if asked.method == "GET":
        return Answered(json.dumps({"object": "list", "data": []}).encode())
    body = asked.json
    results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    envelope = {"id": "chatcmpl-1", "created": 1700000000, "model": body["model"]}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    call = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": '{"order":7}'}}
    text = f"The tool says {results[-1]}." if results else None
    finish = "stop" if results else "tool_calls"
    if not body.get("stream"):
        message = {"role": "assistant", "content": text, **({} if results else {"tool_calls": [call]})}
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        whole = {**envelope, "object": "chat.completion", "choices": choices, "usage": usage}
        return Answered(json.dumps(whole).encode())
    if results:
        deltas = [{"role": "assistant", "content": ""}, *({"content": f"{word} "} for word in text.split())]
    else:
        begun = {**call, "index": 0, "function": {"name": "lookup", "arguments": ""}}
        pieces = [{"index": 0, "function": {"arguments": piece}} for piece in ('{"order"', ":7}")]
        deltas = [{"role": "assistant", "tool_calls": [begun]}, *({"tool_calls": [piece]} for piece in pieces)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [{**envelope, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({**envelope, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    events = [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]
    return Answered([*events, b"data: [DONE]\n\n"], content_type="text/event-stream")
