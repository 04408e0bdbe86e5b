"""A program for the provider `command`. What it says stands in the file `judge.json` of the folder it is started in, and
what it is asked goes into `asked.jsonl`: where there is none, nobody has started it.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from judging import answers, is_canary

SCRIPT = Path("judge.json")
ASKED = Path("asked.jsonl")


def main() -> int:
    """Answers one request."""
    asked = json.load(sys.stdin)
    script = json.loads(SCRIPT.read_text(encoding="utf-8"))
    asked["is_canary"] = asked["kind"] == "ask" and is_canary(asked["prompt"])
    round_ = sum(not it["is_canary"] and it["kind"] == "ask" for it in heard())
    with ASKED.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asked) + "\n")
    if asked["is_canary"]:
        wrong = script.get("canaries") == "wrong"
        answer = answers(asked["prompt"], {})
        if wrong:
            answer["answers"] = [{**it, "answer": "yes"} for it in answer["answers"]]
        print(json.dumps({"answer": answer, **spent(script)}))
        return 0
    if asked["kind"] == "drive":
        answer = driven(script["drive"], asked["mcp"])
    else:
        rounds = script.get("rounds") or [{}]
        script = {**script, **rounds[min(round_, len(rounds) - 1)]}
        time.sleep(script.get("sleep", 0))
        answer = {"answer": answers(asked["prompt"], script.get("said", {}))}
    if "raw" in script:
        answer = {"text": script["raw"]}
    if "error" in script:
        answer = {"error": script["error"]}
    print(json.dumps({**answer, **({} if "error" in answer else spent(script))}))
    return int(script.get("exit", 0))


def heard() -> list[dict[str, Any]]:
    """What was asked so far."""
    return [json.loads(line) for line in ASKED.read_text(encoding="utf-8").splitlines()] if ASKED.exists() else []


def spent(script: dict[str, Any]) -> dict[str, Any]:
    """What an answer takes."""
    usage = script.get("usage", {"input_tokens": 100, "output_tokens": 10})
    cost = {"cost_usd": script["cost_usd"]} if "cost_usd" in script else {}
    return {"usage": usage, "model": script.get("model", "scripted-1"), **cost}


def driven(script: dict[str, Any], mcp: dict[str, str]) -> dict[str, Any]:
    """Calls tools, and reports."""
    client = Client(mcp["url"], mcp["token"])
    for tool, args in script.get("calls", []):
        client.call(tool, args)
    if "sleep" in script:
        Path("driving").write_text("now", encoding="utf-8")
        time.sleep(script["sleep"])
    report = script.get("report", {"verdict": "PASS", "reason": "all is well", "steps": [], "issues": []})
    return {"text": report} if isinstance(report, str) else {"answer": report}


class Client:
    """A client of the Model Context Protocol over HTTP, as small as one can be."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        self._last = 0
        info = {"name": "small", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = [it["name"] for it in self._ask("tools/list", {})["tools"]]

    def call(self, tool: str, args: dict[str, Any]) -> Any:
        """Calls a tool by its name, with or without the prefix that it has here."""
        name = next((it for it in self.tools if it == tool or it.endswith(f"__{tool}")), tool)
        return self._ask("tools/call", {"name": name, "arguments": args})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._last += 1
        answer = self._post({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return answer.get("result", {"error": answer.get("error")})

    def _post(self, message: dict[str, Any]) -> Any:
        request = urllib.request.Request(self._url, json.dumps(message).encode(), self._headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            if session := response.headers.get("mcp-session-id"):
                self._headers["mcp-session-id"] = session
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                body = response.read()
                return json.loads(body) if body.strip() else {}
            for line in response:
                if line.startswith(b"data:") and b'"id"' in line:
                    return json.loads(line[5:])
        return {}


if __name__ == "__main__":
    sys.exit(main())
