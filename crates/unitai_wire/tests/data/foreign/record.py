"""Records the cassettes of this folder with the tools themselves, against a server of its own.

    python -m venv .venv && .venv/bin/pip install vcrpy cassetter openai httpx requests
    .venv/bin/python record.py

Made with vcrpy 9.4.2 and cassetter 0.16.1. The keys in them are made up.
"""

import gzip
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cassetter
import httpx
import openai
import requests
import vcr

BASE = "http://127.0.0.1:18765"
KEY = "Zk3vQ8xWn2LmR7tYpL0aFAKE"
# Texts that a careless reader of YAML takes for something else, and numbers that it changes.
NASTY = {
    "yes": "yes", "null": "null", "tilde": "~", "exp": "1e3", "hex": "0x1F", "oct": "0o17", "day": "2024-01-01",
    "one": 1, "float": 1.0, "big": 18446744073709551615, "neg": -9223372036854775808, "huge": 1e100, "tenth": 0.1,
    "nan": "NaN", "<<": "merge", "1": "a key", "lines": "a\nb\n", "lead": "  x", "ctl": "\x01\x1b", "nel": "a\x85b\u2028c",
    "emoji": "\U0001f600", "empty": "", "nothing": None, "list": [[], {}, None, True, [1, 2.5, "3"]], "colon": "a: b",
    "bang": "!tag x", "alias": "*a", "dash": "- x", "crlf": "a\r\nb", "time": "12:30:45", "long": "word " * 40,
}  # fmt: skip


def whole(body):
    message = {"role": "assistant", "content": "Grüße: " + body["messages"][-1]["content"]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }


def streamed(body):
    base = {"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1700000000, "model": body["model"]}
    said = [({"role": "assistant", "content": ""}, None), ({"content": "Hel"}, None), ({"content": "lo ✓"}, None), ({}, "stop")]
    events = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in said]
    events.append({**base, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}})
    lines = [json.dumps(event, ensure_ascii=False) for event in events] + ["[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    counted = 0

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        path, status, kind = self.path.split("?")[0], 200, "application/json"
        if path == "/v1/chat/completions":
            body = json.loads(sent)
            if body["model"] == "fail":
                status, out = 429, b'{"error": {"message": "slow down"}}'
            elif body.get("stream"):
                kind, out = "text/event-stream", streamed(body)
            else:
                out = json.dumps(whole(body), ensure_ascii=False).encode()
        elif path == "/counter":
            Handler.counted += 1
            out = json.dumps({"n": Handler.counted}).encode()
        elif path == "/image":
            kind, out = "image/png", bytes(range(256))
        elif path == "/text":
            kind, out = "text/plain; charset=utf-8", "plain ünïcode\nline two\ttab\n".encode()
        elif path == "/echo":
            kind, out = self.headers.get("content-type", "application/octet-stream"), sent
        elif path == "/empty":
            status, out = 204, b""
        else:
            status, out = 404, b'{"error": "no such page"}'
        self.send_response(status)
        if self.headers.get("x-want") == "gzip":
            out = gzip.compress(out, mtime=0)
            self.send_header("content-encoding", "gzip")
        if status != 204:
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(out)))
        self.send_header("set-cookie", "session=FAKEcookie1234567890")
        self.send_header("x-request-id", "req_1")
        self.end_headers()
        self.wfile.write(out)


def client(**options):
    return openai.OpenAI(api_key=KEY, base_url=BASE + "/v1", max_retries=0, **options)


def ask(text, model="gpt-5.4-mini", **more):
    chat = client(**more.pop("client", {})).chat.completions
    return chat.create(model=model, messages=[{"role": "user", "content": text}], **more)


def model():
    ask('hello "quoted" ✓', temperature=0.5)
    ask('hello "quoted" ✓', temperature=0.5)
    ask("nasty", extra_body={"metadata": NASTY})
    with suppress(openai.RateLimitError):
        ask("x", model="fail")


def stream():
    list(ask("stream: ja", stream=True, stream_options={"include_usage": True}))


def zipped():
    ask("zipped", client={"default_headers": {"x-want": "gzip"}})


def api():
    requests.get(BASE + "/counter", headers={"authorization": "Bearer " + KEY, "x-api-key": KEY})
    requests.get(BASE + "/counter")
    requests.post(BASE + "/echo", json={"key": KEY, "nasty": NASTY})
    requests.get(BASE + "/text")
    requests.get(BASE + "/empty")
    httpx.get(BASE + "/missing")
    requests.get(BASE + "/text?api_key=made-up-1234")
    requests.post(BASE + "/echo", data={"a": "b c"})


def binary():
    httpx.get(BASE + "/image")
    httpx.post(BASE + "/echo", content=bytes(range(128, 160)))


def pieces():
    requests.post(BASE + "/echo", data=(Path(__file__).parent / "piece.txt").open("rb"))
    requests.post(BASE + "/text", data=iter([b"ab", b"cd"]))


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 18765), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = Path(__file__).parent
    for play in (model, stream, zipped, api, binary, pieces):
        for tool, suffix in (("vcrpy", "yaml"), ("vcrpy", "json"), ("cassetter", "yaml"), ("cassetter", "toml")):
            if tool == "vcrpy" and suffix == "json" and play in (zipped, binary, pieces):
                continue  # JSON holds no bytes
            if tool == "cassetter" and play is pieces:
                continue  # it takes no body in pieces
            path = here / tool / f"{play.__name__}.{suffix}"
            path.unlink(missing_ok=True)
            if tool == "vcrpy":
                with vcr.use_cassette(str(path), serializer=suffix):
                    play()
            else:
                with cassetter.use_cassette(str(path), record_mode="all"):
                    play()
    server.shutdown()


main()
