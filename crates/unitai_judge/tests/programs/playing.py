"""Plays Claude Code, Codex or Gemini CLI: reads what they are given where they would, and says it in their words."""

import json
import os
import re
import sys
import time
import urllib.request
from pathlib import Path

whom, behaviour, key, *words = sys.argv[1:]
if words == ["--version"]:
    print("1.2.3 (played)")
    sys.exit()

ANSWER = json.dumps({"verdict": "yes", "why": "the order is there"})
is_driven = behaviour == "CallsATool"
prompt = sys.stdin.read()
assert ("Look it up." if is_driven else "Is it there?") in prompt
# Keys and tokens are no arguments: everybody on a machine sees those.
assert key not in " ".join(words)
assert "token-of-the-contract" not in " ".join(words)


def after(option):
    """The value of an option."""
    return words[words.index(option) + 1]


def override(name):
    """The value of a setting of Codex, as it stands."""
    return next(word.partition("=")[2] for word in words if word.startswith(f"{name}="))


def lines(*events):
    """Events, one in each line."""
    return "\n".join(map(json.dumps, events))


class Claude:
    """Claude Code: an envelope, and events before it where it is driven."""

    def given(self):
        return after("--system-prompt"), after("--json-schema")

    def server(self):
        server = json.loads(Path(after("--mcp-config")).read_text())["mcpServers"]["llm_pytest"]
        return server["url"], server["headers"]["Authorization"]

    def say(self, text, is_structured=False):
        price = {} if behaviour == "Unpriced" else {"total_cost_usd": 0.0006}
        init = {"type": "system", "subtype": "init", "mcp_servers": [{"name": "llm_pytest", "status": "connected"}]}
        last = self.result(
            result=text,
            usage={"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 20},
            modelUsage={after("--model"): {"outputTokens": 20}},
            structured_output=json.loads(text) if is_structured else None,
            **price,
        )
        return lines(init, last) if is_driven else lines(last), 0

    def refuse(self, status, text):
        return lines(self.result(is_error=True, api_error_status=status, result=f"API Error: {status} {text}")), 1

    def result(self, **more):
        return {"type": "result", "subtype": "success", "is_error": False, **more}


class Codex:
    """Codex: events."""

    def given(self):
        system = Path(json.loads(override("model_instructions_file")))
        return system.read_text(), Path(after("--output-schema")).read_text()

    def server(self):
        server = override("mcp_servers.llm_pytest")
        (url,) = re.findall(r'url="([^"]+)"', server)
        (variable,) = re.findall(r'bearer_token_env_var="([^"]+)"', server)
        return url, f"Bearer {os.environ[variable]}"

    def say(self, text, is_structured=False):
        usage = {"input_tokens": 100, "cached_input_tokens": 10, "output_tokens": 20}
        message = {"type": "item.completed", "item": {"type": "agent_message", "text": text}}
        return lines({"type": "thread.started"}, message, {"type": "turn.completed", "usage": usage}), 0

    def refuse(self, status, text):
        busy = "exceeded retry limit, last status: 429 Too Many Requests"
        names = {401: "unexpected status 401 Unauthorized", 429: busy}
        return lines({"type": "turn.failed", "error": {"message": f"{names[status]}: {text}"}}), 1


class Gemini:
    """Gemini CLI: one object, or events where it is driven."""

    def given(self):
        # It can be held to no schema, so that it is told.
        return Path(os.environ["GEMINI_SYSTEM_MD"]).read_text(), prompt.strip().splitlines()[-1]

    def server(self):
        settings = json.loads(Path(os.environ["GEMINI_CLI_HOME"], ".gemini", "settings.json").read_text())
        server = settings["mcpServers"]["llm_pytest"]
        return server["httpUrl"], server["headers"]["Authorization"]

    def say(self, text, is_structured=False):
        if is_driven:
            stats = {"input_tokens": 100, "output_tokens": 20}
            message = {"type": "message", "role": "assistant", "content": text}
            last = {"type": "result", "status": "success", "stats": stats}
            return lines({"type": "init", "model": after("--model")}, message, last), 0
        tokens = {"prompt": 100, "candidates": 15, "thoughts": 5}
        return json.dumps({"response": text, "stats": {"models": {after("--model"): {"tokens": tokens}}}}, indent=2), 0

    def refuse(self, status, text):
        names = {401: "API key not valid", 429: "RESOURCE_EXHAUSTED"}
        return json.dumps({"error": {"type": "ApiError", "message": f"{names[status]}: {text}", "code": status}}), 1


def call(url, authorization, method, params):
    """One request to the server of the tools."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"authorization": authorization, "content-type": "application/json"}
    request = urllib.request.Request(url, data=body, headers=headers)
    # Nothing between us and this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
        return json.load(response)["result"]


played = {"claude": Claude, "codex": Codex, "gemini": Gemini}[whom]()
system, schema = played.given()
assert system.startswith("You ")
assert json.loads(schema)["required"] == ["verdict", "why"]

if behaviour in ("Structured", "Unpriced"):
    said = played.say(ANSWER, is_structured=True)
elif behaviour == "TextOnly":
    said = played.say("I think so.")
elif behaviour == "Empty":
    said = played.say("")
elif behaviour == "Unauthorised":
    said = played.refuse(401, f"nobody has the key {key}")
elif behaviour == "BusyForever":
    said = played.refuse(429, f"slow down, {key}")
elif behaviour == "Slow":
    time.sleep(30)
    said = played.say(ANSWER, is_structured=True)
elif behaviour == "CallsATool":
    server = played.server()
    tool = call(*server, "tools/list", {})["tools"][0]["name"]
    result = call(*server, "tools/call", {"name": tool, "arguments": {"order": 7}})
    said = played.say(f"It says: {result['content'][0]['text']}")
else:
    said = f"Welcome! Your key is {key}.", 0
print(said[0])
sys.exit(said[1])
