"""The judge of `judging.py` behind the APIs of Anthropic and OpenAI, on this machine."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from judging import answers, is_canary

#: What stands in every answer, though nobody bills it.
USAGE = (100, 10)


class JudgingService:
    """It says what its script says, in the words of the API that is asked; it remembers what it was asked."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        #: The bodies of requests, canaries left out.
        self.asked: list[dict[str, Any]] = []
        self.canaries = 0
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def variables(self, provider: str) -> dict[str, str]:
        """How the provider of this name comes here."""
        name, path = {"anthropic": ("ANTHROPIC", ""), "openai": ("OPENAI", "/v1")}[provider]
        return {
            "UNITAI_JUDGE_PROVIDER": provider,
            f"{name}_API_KEY": "made-up-key-of-nobody",
            f"{name}_BASE_URL": self.url + path,
        }

    def __enter__(self) -> JudgingService:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def answer(self, body: dict[str, Any], is_openai: bool) -> tuple[int, dict[str, Any]]:
        """The status and the body of the answer."""
        prompt = _prompt(body)
        if body.get("tools"):
            self.asked.append(body)
            return 200, self._drive(body, is_openai)
        if is_canary(prompt):
            self.canaries += 1
            return 200, _said(json.dumps(answers(prompt, {})), is_openai)
        self.asked.append(body)
        rounds = self.script.get("rounds") or [{}]
        script = {**self.script, **rounds[min(len(self.asked), len(rounds)) - 1]}
        if "status" in script:
            return script["status"], {"error": {"message": "it is as it is"}}
        self._over.wait(script.get("sleep", 0))
        return 200, _said(script.get("raw") or json.dumps(answers(prompt, script.get("said", {}))), is_openai)

    def _drive(self, body: dict[str, Any], is_openai: bool) -> dict[str, Any]:
        """The next call, or the report when all are made."""
        drive = self.script["drive"]
        made = sum(it["role"] == "assistant" for it in body["messages"])
        if made >= len(drive.get("calls", [])):
            report = drive.get("report", {"verdict": "PASS", "reason": "all is well", "steps": [], "issues": []})
            return _said(report if isinstance(report, str) else json.dumps(report), is_openai)
        tool, args = drive["calls"][made]
        names = [it["function"]["name"] if is_openai else it["name"] for it in body["tools"]]
        name = next((it for it in names if it == tool or it.endswith(f"__{tool}")), tool)
        return _calling(f"call_{made}", name, args, is_openai)


def _prompt(body: dict[str, Any]) -> str:
    content = [it["content"] for it in body["messages"] if it["role"] == "user"][0]
    return content if isinstance(content, str) else "".join(it.get("text", "") for it in content)


def _said(text: str, is_openai: bool) -> dict[str, Any]:
    if is_openai:
        message = {"role": "assistant", "content": text, "refusal": None}
        return _completion([{"index": 0, "message": message, "finish_reason": "stop"}])
    return _message([{"type": "text", "text": text}], "end_turn")


def _calling(number: str, name: str, args: dict[str, Any], is_openai: bool) -> dict[str, Any]:
    if is_openai:
        function = {"name": name, "arguments": json.dumps(args)}
        calls = [{"id": number, "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return _completion([{"index": 0, "message": message, "finish_reason": "tool_calls"}])
    return _message([{"type": "tool_use", "id": number, "name": name, "input": args}], "tool_use")


def _completion(choices: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5.4",
        "choices": choices,
        "usage": usage,
    }


def _message(content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": content,
        "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _handler(service: JudgingService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
            status, answer = service.answer(body, self.path.endswith("/chat/completions"))
            told = json.dumps(answer).encode()
            # Whoever has asked may have gone.
            with contextlib.suppress(ConnectionError):
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("retry-after-ms", "10")
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
