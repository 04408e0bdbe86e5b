"""A judge that speaks UnitAI's protocol, and behaves as its argument says."""

import json
import sys
import time
import urllib.request

behaviour, key = sys.argv[1:]
asked = json.load(sys.stdin)
assert asked["protocol"] == 1
assert asked["kind"] == ("drive" if behaviour == "CallsATool" else "ask")
assert asked["schema"]["required"] == ["verdict", "why"]
assert asked["system"].startswith("You ")
assert asked["timeout"] > 0

answer = {"verdict": "yes", "why": "the order is there"}
usage = {"input_tokens": 100, "output_tokens": 20}


def call(method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"authorization": f"Bearer {asked['mcp']['token']}", "content-type": "application/json"}
    request = urllib.request.Request(asked["mcp"]["url"], data=body, headers=headers)
    # Nothing between us and this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
        return json.load(response)["result"]


if behaviour == "Structured":
    said = {"answer": answer, "model": "gpt-5.4", "usage": usage}
elif behaviour == "TextOnly":
    said = {"text": "I think so."}
elif behaviour == "Empty":
    said = {"text": " "}
elif behaviour == "Unauthorised":
    said = {"error": {"kind": "absent", "message": f"nobody is logged in with the key {key}"}}
elif behaviour == "BusyForever":
    said = {"error": {"kind": "unavailable", "message": f"slow down, {key}"}}
elif behaviour == "Slow":
    time.sleep(30)
    said = {"answer": answer}
elif behaviour == "Unpriced":
    said = {"answer": answer, "model": "a-model-of-nobody", "usage": usage}
elif behaviour == "CallsATool":
    assert asked["turns"] == 5
    tool = call("tools/list", {})["tools"][0]["name"]
    result = call("tools/call", {"name": tool, "arguments": {"order": 7}})
    said = {"text": f"It says: {result['content'][0]['text']}"}
else:
    print(f"Welcome! Your key is {key}.")
    said = {"text": "too late"}
print(json.dumps(said))
