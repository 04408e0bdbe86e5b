"""A provider that repeats secrets: in its answers, streams, tool calls, errors and headers, in pieces if asked."""

from __future__ import annotations

import gzip
import json
from typing import Any

USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
ENVELOPE = {"id": "1", "created": 1, "model": "gpt-4o"}


class Echo:
    """Answers by what the request says in `user`, or in `what` where it is no model's."""

    def __init__(self, texts: dict[str, str], values: dict[str, str]) -> None:
        self._texts = texts
        self._values = values

    def __call__(self, asked: Any) -> Any:
        from loopback import Answered

        body = asked.body
        if asked.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        body = json.loads(body)
        if "/things" in asked.path:
            return self._thing(body["what"])
        what, _, name = body["user"].rpartition(" ")
        text = self._texts.get(name, "")
        if what == "refused":
            return Answered(_error(f"Incorrect API key provided: {text}"), status=401)
        if what == "broken":
            return Answered(f"<html>{text}</html>".encode(), status=500, content_type="text/html")
        if what == "error inside":
            return Answered(_error(text))
        if what == "tool":
            return self._tool(text, body["stream"])
        said = text if what in ("answer", "zipped", "stream", "error event", "cut") else "ok"
        if body["stream"]:
            return self._stream(what, said, name)
        message = {"role": "assistant", "content": said}
        whole = {**ENVELOPE, "object": "chat.completion", "usage": USAGE}
        whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
        data = json.dumps(whole).encode()
        if what == "zipped":
            return Answered(gzip.compress(data), headers={"content-encoding": "gzip"})
        if what == "heads":
            value = self._values[name].splitlines()[-2 if "\n" in self._values[name] else 0]
            return Answered(data, headers={"x-request-id": value, "set-cookie": f"sid={value}", "openai-model": value})
        return Answered(data)

    def _thing(self, what: str) -> Any:
        from loopback import Answered

        text = self._texts.get(what.rpartition(" ")[2], "")
        data = json.dumps({"what": text if "answer" in what or "zipped" in what else "ok"}).encode()
        if "zipped" in what:
            return Answered(gzip.compress(data), headers={"content-encoding": "gzip"})
        return Answered(data)

    def _tool(self, text: str, streams: bool) -> Any:
        from loopback import Answered

        arguments = json.dumps({"key": text, text: [text]})
        call = {"id": "call_1", "type": "function", "function": {"name": "save", "arguments": arguments}}
        if not streams:
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            whole = {**ENVELOPE, "object": "chat.completion", "usage": USAGE}
            whole["choices"] = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
            return Answered(json.dumps(whole).encode())
        begun = {**call, "index": 0, "function": {"name": "save", "arguments": ""}}
        pieces = [arguments[at : at + 50] for at in range(0, len(arguments), 50)]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": [begun]}]
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
        return Answered([b"".join(_events(deltas, "tool_calls"))], content_type="text/event-stream")

    def _stream(self, what: str, text: str, name: str) -> Any:
        from loopback import Answered

        kind = "text/event-stream"
        how, _, place = what.partition(" at ")
        if how == "events":
            value, at = self._values[name], int(place)
            pieces = [value[:at], value[at:]]
        elif how == "tokens":
            value, size = self._values[name], int(place)
            pieces = [value[at : at + size] for at in range(0, len(value), size)]
        elif how == "chunks":
            pieces = [f"it is {self._values[name]}, I say"]
        else:
            pieces = [text]
        events = _events([{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)], "stop")
        if how == "chunks":
            whole = b"".join(events)
            start = whole.index(json.dumps(self._values[name])[1:-1].encode()) + int(place)
            return Answered([whole[:start], whole[start:]], content_type=kind)
        if how == "error event":
            return Answered([events[0], b"data: " + _error(text) + b"\n\n"], content_type=kind)
        if how == "cut":
            return Answered(b"".join(events[:-2]), content_type=kind, is_cut=True)
        return Answered(events, content_type=kind)


def _events(deltas: list[dict[str, Any]], finish: str) -> list[bytes]:
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [{**ENVELOPE, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    chunks.append({**ENVELOPE, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    return [*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), b"data: [DONE]\n\n"]


def _error(text: str) -> bytes:
    return json.dumps({"error": {"message": text, "type": "invalid_request_error", "code": text}}).encode()
