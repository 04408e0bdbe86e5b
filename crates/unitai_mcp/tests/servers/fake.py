"""A server of tools on standard streams, with nothing but the standard library. Its words on the command line say how
it misbehaves; `old` (the default) knows handshakes only, `new` knows nothing else than 2026-07-28.
"""

import json
import os
import subprocess
import sys
import threading
import time

HOW = set(sys.argv[1:])
OUT = threading.Lock()
TOOLS = ["echo", "add", "fail", "error", "die", "slow", "huge", "grow", "later", "ask", "wrong", "env", "cancelled"]
EXTRA = []
CANCELLED = []
ANSWERS = {}
ANSWERED = threading.Condition()


def send(message):
    with OUT:
        if "no-newline-print" in HOW and "id" in message:
            sys.stdout.write("working...")
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        if "printing" in HOW:
            sys.stdout.write('debug: wrote a message\n{"level": "info"}\n')
        sys.stdout.flush()


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def ask(number, method):
    send(
        {
            "id": f"s{number}",
            "method": method,
            "params": {
                "messages": [],
                "maxTokens": 1,
                "message": "?",
                "requestedSchema": {"type": "object", "properties": {}},
            },
        }
    )
    with ANSWERED:
        ANSWERED.wait_for(lambda: f"s{number}" in ANSWERS, timeout=10)
        return ANSWERS.get(f"s{number}", "nothing")


def call(name, args):
    if name == "echo":
        return text(json.dumps(args))
    if name == "add":
        return text("sum", structuredContent={"sum": args["a"] + args["b"]})
    if name == "fail":
        return text("no such order", isError=True)
    if name == "die":
        print("about to die", file=sys.stderr, flush=True)
        if "leaves-stdout-open" in HOW:
            subprocess.Popen(["sleep", "30"])
        os._exit(3)
    if name == "slow":
        time.sleep(args.get("seconds", 60))
        return text("slow")
    if name == "huge":
        return text("x" * args["bytes"])
    if name == "grow":
        EXTRA.append(f"grown_{len(EXTRA)}")
        send({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "later":

        def grow():
            time.sleep(0.2)
            EXTRA.append("late")
            send({"method": "notifications/tools/list_changed"})

        threading.Thread(target=grow, daemon=True).start()
        return text("wait for it")
    if name == "ask":
        methods = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "strange/method"]
        return text("", structuredContent={method: ask(n, method) for n, method in enumerate(methods)})
    if name == "env":
        return text(
            os.environ.get(args["name"], ""),
            structuredContent={"value": os.environ.get(args["name"]), "cwd": os.getcwd()},
        )
    if name == "cancelled":
        return text("", structuredContent={"cancelled": CANCELLED})
    if name in EXTRA:
        return text(name)
    return None


def page(cursor):
    names = TOOLS + EXTRA
    if "paging" not in HOW:
        return names, None
    begin = int(cursor or 0)
    after = begin + 2
    return names[begin:after], str(after) if after < len(names) else None


def answer(id_, method, params):
    if method == "initialize" and "new" not in HOW:
        version = params["protocolVersion"]
        if "stubborn" in HOW or version not in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            version = "2024-11-05"
        result = {
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fake", "version": "1"},
        }
    elif method == "server/discover" and "new" in HOW:
        result = {
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fake", "version": "1"},
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
        }
    elif method == "tools/list":
        names, after = page((params or {}).get("cursor"))
        result = {
            "tools": [
                {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}} for name in names
            ]
        }
        if after:
            result["nextCursor"] = after
        if "new" in HOW:
            result.update(resultType="complete", ttlMs=60000, cacheScope="private")
    elif method == "tools/call" and params["name"] == "error":
        return send({"id": id_, "error": {"code": -32602, "message": "bad arguments", "data": {"why": "because"}}})
    elif method == "tools/call" and params["name"] == "wrong":
        return send({"id": id_, "error": {"message": "an error without a code"}})
    elif method == "tools/call":
        result = call(params["name"], params.get("arguments", {}))
        if result is None:
            return send({"id": id_, "error": {"code": -32602, "message": f"Unknown tool: {params['name']}"}})
        if "new" in HOW:
            result["resultType"] = "complete"
    elif method == "subscriptions/listen" and "new" in HOW:
        return send(
            {
                "method": "notifications/subscriptions/acknowledged",
                "params": {
                    "notifications": params["notifications"],
                    "_meta": {"io.modelcontextprotocol/subscriptionId": id_},
                },
            }
        )
    else:
        return send({"id": id_, "error": {"code": -32601, "message": f"Method not found: {method}"}})
    send({"id": id_, "result": result})


def main():
    if "FAKE_STARTS" in os.environ:
        with open(os.environ["FAKE_STARTS"], "a", encoding="utf-8") as starts:
            starts.write("x")
    if "banner" in HOW:
        print("Fake server 1.0, ready", flush=True)
    if "dies" in HOW:
        print("Traceback: no database", file=sys.stderr, flush=True)
        return 7
    if "sleepy" in HOW:
        time.sleep(11)
    if "mute" in HOW:
        print("waiting for the database", file=sys.stderr, flush=True)
        print("hello from standard output", flush=True)
        time.sleep(60)
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if "ignores-discover" in HOW and method == "server/discover":
            continue
        if "dies-of-discover" in HOW and method == "server/discover":
            return 9
        if method == "notifications/cancelled":
            CANCELLED.append(message["params"]["requestId"])
        elif method is None:
            with ANSWERED:
                ANSWERS[message["id"]] = message.get("result", message.get("error"))
                ANSWERED.notify_all()
        elif "id" in message:
            threading.Thread(target=answer, args=(message["id"], method, message.get("params")), daemon=True).start()
        if "stops-reading" in HOW and method == "tools/list":
            time.sleep(60)
    if "never-ends" in HOW:
        time.sleep(60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
