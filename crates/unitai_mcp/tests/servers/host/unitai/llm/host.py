"""Stands in for the host of plugins: the same protocol, and plugins that are only names."""

import json
import os
import sys
import time

ROOT = sys.argv[1]
opened = 0


def log(words):
    with open(os.path.join(ROOT, "log.txt"), "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {words}\n")


def result(value, **more):
    return {"content": [], "structuredContent": value, **more}


def call(name, args):
    global opened
    log(name)
    if name == "_unitai_open":
        opened += 1
        tools = [
            {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}}
            for name in ("count", "hang")
        ]
        return result({"tools": tools, "troubles": ["broken.py: no module named x"]})
    if name == "_unitai_close":
        if os.path.exists(os.path.join(ROOT, "hang-on-close")):
            time.sleep(60)
        return result(
            {"troubles": ["cleanup of A failed"] if os.path.exists(os.path.join(ROOT, "fail-on-close")) else []}
        )
    if name == "_unitai_shutdown":
        return result({"troubles": ["cleanup of session"]})
    if name == "hang":
        time.sleep(60)
    if name == "die":
        os._exit(5)
    return result({"opened": opened, "pid": os.getpid()})


log("started")
if os.path.exists(os.path.join(ROOT, "no-start")):
    sys.exit("ModuleNotFoundError: no unitai here")
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params = message.get("params") or {}
    if message["method"] == "initialize":
        answer = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "host", "version": "1"},
        }
    elif message["method"] == "tools/list":
        answer = {"tools": []}
    else:
        answer = call(params["name"], params.get("arguments"))
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
