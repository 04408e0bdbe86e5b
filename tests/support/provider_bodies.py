"""What the providers of models send, byte for byte. Written after answers that their own SDKs accept."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

#: What every answer takes, in all dialects: tokens of the prompt and of them cached, of the answer and of
#: them reasoning.
PROMPT, CACHED, SAID, REASONED = 100, 64, 20, 8
TEXT = "Hello world"

SSE = "text/event-stream; charset=utf-8"


def as_provider(path: str, body: bytes, text: str = TEXT) -> dict[str, Any]:
    """The answer to a request: its `body`, whole or in pieces, and its `content_type`."""
    asked = json.loads(body)
    dialect = dialect_of(path)
    pieces = [piece + " " for piece in text.split(" ")]
    pieces[-1] = pieces[-1][:-1]
    return _DIALECTS[dialect](path, asked, text, pieces)


def dialect_of(path: str) -> str:
    """The dialect of a request to this path."""
    marks = {
        "/chat/completions": "openai_chat",
        "/responses": "openai_responses",
        "/messages": "anthropic",
        "enerateContent": "gemini",
        "/converse": "bedrock",
        "/api/chat": "ollama",
        "/v2/chat": "cohere",
    }
    return next(dialect for mark, dialect in marks.items() if mark in path)


def refusal(path: str, status: int, message: str) -> dict[str, Any]:
    """What the provider says instead of an answer."""
    dialect = dialect_of(path)
    said: Any = {"error": {"message": message, "type": "requests", "param": None, "code": None}}
    headers = {}
    if dialect == "anthropic":
        said = {"type": "error", "error": {"type": "rate_limit_error", "message": message}}
    elif dialect == "gemini":
        said = {"error": {"code": status, "message": message, "status": "RESOURCE_EXHAUSTED"}}
    elif dialect == "ollama":
        said = {"error": message}
    elif dialect == "cohere":
        said = {"id": "1", "message": message}
    elif dialect == "bedrock":
        said = {"message": message}
        kind = "ThrottlingException" if status == 429 else "InternalServerException"
        headers["x-amzn-ErrorType"] = kind
    return {"status": status, "body": _json(said), "headers": headers}


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _plain(value: Any) -> dict[str, Any]:
    return {"body": _json(value)}


def _sse(events: list[Any], *, is_named: bool = False, end: bytes = b"") -> dict[str, Any]:
    named = [(f"event: {event['type']}\n".encode() if is_named else b"") for event in events]
    pieces = [name + b"data: " + _json(event) + b"\n\n" for name, event in zip(named, events, strict=True)]
    return {"body": [*pieces, *([end] if end else [])], "content_type": SSE}


def _openai_chat(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    usage = {
        "prompt_tokens": PROMPT,
        "completion_tokens": SAID,
        "total_tokens": PROMPT + SAID,
        "prompt_tokens_details": {"cached_tokens": CACHED, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": REASONED, "audio_tokens": 0},
    }
    common = {"id": "chatcmpl-1", "created": 1700000000, "model": asked["model"]}
    if not asked.get("stream"):
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return _plain({**common, "object": "chat.completion", "choices": [choice], "usage": usage})

    def chunk(delta: Any, finish: str | None = None, **more: Any) -> Any:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**common, "object": "chat.completion.chunk", "choices": [choice], **more}

    # Mistral gives the usage with the last chunk, asked or not. OpenAI must be asked, and gives it after.
    is_mistral = asked["model"].startswith("mistral")
    is_asked = bool((asked.get("stream_options") or {}).get("include_usage"))
    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
    events.append(chunk({}, "stop", **({"usage": usage} if is_mistral else {})))
    if is_asked and not is_mistral:
        for event in events:
            event["usage"] = None
        events.append({**common, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    return _sse(events, end=b"data: [DONE]\n\n")


def _openai_responses(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [part]}
    whole = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": asked["model"],
        "output": [item],
        "parallel_tool_calls": True,
        "service_tier": "default",
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": PROMPT,
            "input_tokens_details": {"cached_tokens": CACHED, "cache_write_tokens": 0},
            "output_tokens": SAID,
            "output_tokens_details": {"reasoning_tokens": REASONED},
            "total_tokens": PROMPT + SAID,
        },
        "metadata": {},
    }
    if not asked.get("stream"):
        return _plain(whole)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    there = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[Any] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **there, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **there, "delta": piece, "logprobs": []} for piece in pieces),
        {"type": "response.output_text.done", **there, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **there, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return _sse([{**event, "sequence_number": at} for at, event in enumerate(events)], is_named=True)


def _anthropic(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    prompt = {"input_tokens": PROMPT - CACHED, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED}
    usage = {**prompt, "output_tokens": SAID, "output_tokens_details": {"thinking_tokens": REASONED}}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {**usage, "service_tier": "standard"},
    }
    if not asked.get("stream"):
        return _plain(message)
    begun = {**message, "content": [], "stop_reason": None, "usage": {**prompt, "output_tokens": 1}}
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in pieces),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return _sse(events, is_named=True)


def _gemini(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    usage = {
        "promptTokenCount": PROMPT,
        "candidatesTokenCount": SAID - REASONED,
        "totalTokenCount": PROMPT + SAID,
        "cachedContentTokenCount": CACHED,
        "thoughtsTokenCount": REASONED,
    }

    def chunk(text: str, **more: Any) -> Any:
        candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}
        return {"candidates": [candidate], "modelVersion": "gemini-2.5-flash", "responseId": "resp-1"}

    if ":generateContent" in path:
        return _plain({**chunk(text, finishReason="STOP"), "usageMetadata": usage})
    first = {"promptTokenCount": PROMPT, "totalTokenCount": PROMPT}
    events = [{**chunk(piece), "usageMetadata": first} for piece in pieces]
    return _sse([*events, {**chunk("", finishReason="STOP"), "usageMetadata": usage}])


def _ollama(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    def chunk(text: str, **more: Any) -> Any:
        said = {"role": "assistant", "content": text}
        return {"model": asked["model"], "created_at": "2026-01-01T00:00:00Z", "message": said, **more}

    end = {"done": True, "done_reason": "stop", "prompt_eval_count": PROMPT, "eval_count": SAID}
    if asked.get("stream", True) is False:
        return _plain(chunk(text, **end))
    events = [*(chunk(piece, done=False) for piece in pieces), chunk("", **end)]
    return {"body": [_json(event) + b"\n" for event in events], "content_type": "application/x-ndjson"}


def _cohere(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    # The provider adds tokens of its own to the prompt, and does not bill them.
    usage = {
        "billed_units": {"input_tokens": PROMPT, "output_tokens": SAID},
        "tokens": {"input_tokens": PROMPT + 400, "output_tokens": SAID + 2},
        "cached_tokens": CACHED,
    }
    if not asked.get("stream"):
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        return _plain({"id": "1", "message": message, "finish_reason": "COMPLETE", "usage": usage})

    def delta(content: Any) -> Any:
        return {"index": 0, "delta": {"message": {"content": content}}}

    begun = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    events = [
        {"type": "message-start", "id": "1", "delta": {"message": begun}},
        {"type": "content-start", **delta({"type": "text", "text": ""})},
        *({"type": "content-delta", **delta({"text": piece})} for piece in pieces),
        {"type": "content-end", "index": 0},
        {"type": "message-end", "id": "1", "delta": {"finish_reason": "COMPLETE", "usage": usage}},
    ]
    return _sse(events, is_named=True)


def _bedrock(path: str, asked: Any, text: str, pieces: list[str]) -> dict[str, Any]:
    usage = {
        "inputTokens": PROMPT - CACHED,
        "outputTokens": SAID,
        "totalTokens": PROMPT + SAID,
        "cacheReadInputTokens": CACHED,
        "cacheWriteInputTokens": 0,
    }
    if not path.endswith("-stream"):
        message = {"role": "assistant", "content": [{"text": text}]}
        end = {"stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 10}}
        return _plain({"output": {"message": message}, **end})
    deltas = [("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}}) for piece in pieces]
    events = [
        ("messageStart", {"role": "assistant"}),
        *deltas,
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("messageStop", {"stopReason": "end_turn"}),
        ("metadata", {"usage": usage, "metrics": {"latencyMs": 10}}),
    ]
    frames = [_frame(name, _json(data)) for name, data in events]
    return {"body": frames, "content_type": "application/vnd.amazon.eventstream"}


def _frame(event: str, payload: bytes) -> bytes:
    """One frame of Amazon's binary event stream."""
    fields = {":event-type": event, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in fields.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


_DIALECTS = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "bedrock": _bedrock,
    "cohere": _cohere,
}
