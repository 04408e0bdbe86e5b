"""An agent that hands secrets to everything it meets. It runs in a test, or by itself behind a gateway.

What it needs stands in the file that `CANARIES` names, outside of the project: secrets that are in the environment
(`known`), some that only a header carries (`header`) or only a query (`query`), each with its spellings in one text.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import urllib.parse
from pathlib import Path
from typing import Any

import urllib3

HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "basic")
QUERIES = ("key", "api_key", "access_token")


class Agent:
    """Asks everything there is to ask; `answers` are the statuses that came, by what was asked."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._http = urllib3.PoolManager(retries=False, maxsize=1)
        self._keys: dict[str, Any] = json.loads(Path(os.environ["CANARIES"]).read_text(encoding="utf-8"))
        self.answers: dict[str, int] = {}
        self.said: list[str] = []

    def everything(self, errors: bool) -> None:
        for number, name in enumerate(self._keys["known"]):
            self.known(name, (number + int(os.environ["HALF"])) % 2)
            if errors:
                self.errors(name)
        for number, name in enumerate(self._keys["header"]):
            self.headers(name, HEADERS[number % len(HEADERS)])
        for number, name in enumerate(self._keys["query"]):
            self.queries(name, QUERIES[number % len(QUERIES)])
        for what in self._keys["cuts"]:
            self.chat(what, [], stream=True)
        environment = {name: os.environ[name] for name in self._keys["known"]}
        self.chat("the environment", [{"role": "user", "content": json.dumps(environment)}])

    def known(self, name: str, half: int = 0) -> None:
        """Secrets of the environment, in every place but a header. Rarer places take turns from door to door."""
        text = self._keys["known"][name]["text"]
        self.chat(f"say {name}", [{"role": "user", "content": text}])
        self.chat(f"answer {name}", [])
        self.chat(f"stream {name}", [], stream=True)
        self.tool(name, text, streams=half == 0)
        self.api(f"api {name}", {"note": text, text: 1})
        if half == 0:
            self.chat(f"system {name}", [{"role": "system", "content": text}])
            self.chat(f"zipped {name}", [])
            self.api(f"zipping api {name}", {"note": text}, zips=True)
        else:
            self.chat(f"heads {name}", [])
            self.chat(f"zipping {name}", [{"role": "user", "content": text}], zips=True)
            self.api(f"zipped api {name}", {})

    def errors(self, name: str) -> None:
        for kind in ("refused", "broken", "error inside", "error event", "cut"):
            try:
                self.chat(f"{kind} {name}", [], stream=kind in ("error event", "cut"))
            except urllib3.exceptions.HTTPError:
                continue

    def headers(self, name: str, header: str) -> None:
        """Secrets that nothing but a header makes known, everywhere else in the same request."""
        key, text = (self._keys["header"][name][part] for part in ("value", "text"))
        headers = {header: f"Bearer {key}" if header == "authorization" else key}
        if header == "cookie":
            headers = {"cookie": f"theme=dark; sid={key}"}
        if header == "basic":
            headers = {"authorization": "Basic " + base64.b64encode(f"shop:{key}".encode()).decode()}
        self.chat(f"plain {header} {name}", [{"role": "user", "content": text}], headers=headers)

    def queries(self, name: str, word: str) -> None:
        value, text = (self._keys["query"][name][part] for part in ("value", "text"))
        self.chat(f"plain {word} {name}", [{"role": "user", "content": text}], query={word: value})
        self.api(f"api {word} {name}", {"note": text}, query={word: value})

    def tool(self, name: str, text: str, streams: bool) -> None:
        """The model asks for a tool with a secret, and is told one."""
        first: list[dict[str, Any]] = [{"role": "user", "content": f"tool {name}"}]
        call = self.chat(f"tool {name}", first, stream=streams)
        result = {"role": "tool", "tool_call_id": "call_1", "content": text}
        self.chat(f"told {name}", [*first, {"role": "assistant", "tool_calls": [call]}, result], stream=streams)

    def chat(self, what: str, messages: list[dict[str, Any]], **how: Any) -> Any:
        stream = how.pop("stream", False)
        messages = messages or [{"role": "user", "content": "Hello"}]
        body = {"model": "gpt-4o", "user": what, "messages": messages, "stream": stream}
        told = self._send(f"{what}, streamed" if stream else what, "/chat/completions", body, **how)
        if not what.startswith("tool "):
            return None
        if stream:
            events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith(b"data: {")]
            choices = [event["choices"][0]["delta"] for event in events if event["choices"]]
            pieces = [choice["tool_calls"][0]["function"] for choice in choices if choice.get("tool_calls")]
            arguments = "".join(piece.get("arguments", "") for piece in pieces)
            return {"id": "call_1", "type": "function", "function": {"name": "save", "arguments": arguments}}
        return json.loads(told)["choices"][0]["message"]["tool_calls"][0]

    def api(self, what: str, body: dict[str, Any], **how: Any) -> None:
        self._send(what, "/things", {"what": what, **body}, **how)

    def _send(
        self,
        what: str,
        path: str,
        body: dict[str, Any],
        headers: dict[str, str] | None = None,
        query: dict[str, str] | None = None,
        zips: bool = False,
    ) -> bytes:
        url = self._base + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        data = json.dumps(body).encode()
        sent = {"content-type": "application/json", **(headers or {})}
        if zips:
            data = gzip.compress(data, mtime=0)
            sent["content-encoding"] = "gzip"
        response = self._http.request("POST", url, body=data, headers=sent)
        self.answers[what] = response.status
        if response.status != 200:
            self.said.append(response.data.decode())
        return response.data


def on_command_lines() -> list[str]:
    """The processes that have a secret on their command line."""
    keys = json.loads(Path(os.environ["CANARIES"]).read_text(encoding="utf-8"))
    pieces = {piece.encode() for piece in keys["pieces"]}
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if any(words[at : at + 8] in pieces for at in range(len(words) - 7)):
            found.append(path.parent.name)
    return found


if __name__ == "__main__":
    agent = Agent(os.environ["OPENAI_BASE_URL"])
    agent.everything(errors="ERRORS" in os.environ)
    assert on_command_lines() == []
    unexpected = {what: status for what, status in agent.answers.items() if status != 200}
    Path(os.environ["TOLD"]).write_text(json.dumps(unexpected), encoding="utf-8")
