"""`unitai mcp --http` serves clients that have the token and nobody else, and keeps them inside the project."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="links, users and signals of Unix"),
]

ATTACKS = "attacks on `unitai mcp --http`, 0 let in"
STEP = {"tool": "sleep", "args": {"seconds": 0}}
TEST = {"test": {"name": "A"}, "steps": [STEP], "verdict": "checks"}


class Server:
    """`unitai mcp --http` for the project, with what a client sends to it."""

    def __init__(self, around, port: int, token: str) -> None:
        self.around, self.port, self.token = around, port, token

    def ask(self, method: str, *headers: tuple[str, str], target: str = "/mcp", **params: object):
        from attack import protocol, rpc, send

        tool = params.get("name")
        body = rpc(method, **params)
        return send(self.port, "POST", target, [*headers, *protocol(method, tool)], body)

    @property
    def local(self) -> tuple[str, str]:
        return ("host", f"127.0.0.1:{self.port}")

    @property
    def known(self) -> tuple[str, str]:
        return ("authorization", f"Bearer {self.token}")

    def call(self, tool: str, **args: object) -> dict:
        """What a client that has the token gets back from a tool."""
        answer = self.ask("tools/call", self.local, self.known, name=tool, arguments=args)
        assert answer.status == 200, answer
        return answer.message["result"]


@pytest.fixture
def served(around):
    from attack import running

    with running(around.root, "mcp", "--http", "--root", ".") as command:
        url = urlsplit(command.stdout.readline().strip())
        token = command.stdout.readline().split()[-1]
        server = Server(around, url.port, token)
        # Otherwise everything below would be refused because nothing works.
        assert server.call("run_test", path="tests/llm/good.yaml")["structuredContent"]["verdict"] == "PASS"
        server.before = around.written()
        server.pid = command.pid
        yield server
        assert not around.mark.exists(), "a program ran"
        assert around.written() == server.before, "a file was written outside of tests/llm"


REQUESTS = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    "tools/list": {},
    "tools/call create_test": {"name": "create_test", "arguments": {"name": "B", "steps": [STEP], "verdict": "checks"}},
    "tools/call run_test": {"name": "run_test", "arguments": {"path": "tests/llm/good.yaml"}},
    "tools/call list_tests": {"name": "list_tests", "arguments": {}},
    "tools/call sleep": {"name": "sleep", "arguments": {"seconds": 0}},
    "ping": {},
    "notifications/cancelled": {"requestId": 1},
}


def credentials(token: str) -> dict[str, tuple[list[tuple[str, str]], str]]:
    """Headers and a target of requests that do not have the token where it belongs."""
    almost = token[:-1] + ("0" if token[-1] != "0" else "1")

    def bearer(text: str) -> list[tuple[str, str]]:
        return [("authorization", f"Bearer {text}")]

    return {
        "none": ([], "/mcp"),
        "empty": (bearer(""), "/mcp"),
        "a guess": (bearer("0" * len(token)), "/mcp"),
        "all but one character": (bearer(almost), "/mcp"),
        "a beginning": (bearer(token[:-1]), "/mcp"),
        "one more character": (bearer(token + "0"), "/mcp"),
        "capitals": (bearer(token.upper()), "/mcp") if token.upper() != token else (bearer("A"), "/mcp"),
        "without its scheme": ([("authorization", token)], "/mcp"),
        "of another scheme": ([("authorization", f"Basic {token}")], "/mcp"),
        "a list": (bearer(f"x, Bearer {token}"), "/mcp"),
        "twice, the second right": ([*bearer("x"), *bearer(token)], "/mcp"),
        "in a cookie": ([("cookie", f"token={token}")], "/mcp"),
        "in the query": ([], f"/mcp?token={token}&access_token={token}"),
        "in the path": ([], f"/{token}/mcp"),
        "in another header": ([("x-api-key", token), ("proxy-authorization", f"Bearer {token}")], "/mcp"),
    }


def without_token(server: Server, token: str) -> Iterator[str]:
    """Every request with every wrong credential; those that were answered."""
    for how, (headers, target) in credentials(token).items():
        for request, params in REQUESTS.items():
            answer = server.ask(request.split()[0], server.local, *headers, target=target, **params)
            if answer.status not in (401, 404) or "result" in answer.body:
                yield f"{request}, token {how}: {answer}"


def test_no_request_without_the_token_is_answered(served, counted):
    let_in = list(without_token(served, served.token))
    assert let_in == []
    counted(ATTACKS, len(credentials(served.token)) * len(REQUESTS))


HOSTS = [
    "",
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example",
    "127.0.0.1.evil.example:{port}",
    "localhost:{port}@evil.example",
    "evil@localhost",
    "localhost:",
    "localhost:1x",
    "localhost.",
    "[::1].evil",
    "[::1",
    "0.0.0.0:{port}",
    "127.0.0.1:{port}, evil.example",
    "127.1:{port}",
    "2130706433:{port}",
    "LOCALHOST\u00e9",
]
ORIGINS = [
    "",
    "null",
    "http://evil.example",
    "https://evil.example:{port}",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "http://127.0.0.1.nip.example",
    "http://localhost/evil",
    "file://localhost",
    "chrome-extension://abcdef",
    "localhost:{port}",
]


def test_no_page_and_no_foreign_name_is_answered_even_with_the_token(served, counted):
    from attack import send

    let_in = []
    tried = 0
    for request, params in list(REQUESTS.items())[:4]:
        headers = [[("host", host.format(port=served.port))] for host in HOSTS]
        headers += [[served.local, ("origin", origin.format(port=served.port))] for origin in ORIGINS]
        origins = [("origin", "http://localhost"), ("origin", "null")]
        headers += [[], [served.local, served.local], [served.local, *origins]]
        for sent in headers:
            answer = served.ask(request.split()[0], *sent, served.known, **params)
            tried += 1
            # A request that is no HTTP at all is refused before the guard looks at it.
            if answer.status not in (400, 403) or "result" in answer.body:
                let_in.append(f"{request} {sent}: {answer}")
    for target in ("http://evil.example/mcp", "http://localhost.evil.example/mcp", "http://evil@localhost/mcp"):
        answer = served.ask("tools/list", served.local, served.known, target=target)
        tried += 1
        if answer.status not in (400, 403):
            let_in.append(f"{target}: {answer}")
    for origin in ORIGINS:
        asking = [served.local, ("origin", origin.format(port=served.port)), ("access-control-request-method", "POST")]
        answer = send(served.port, "OPTIONS", "/mcp", asking)
        tried += 1
        if answer.status != 403:
            let_in.append(f"OPTIONS {origin}: {answer}")
    assert let_in == []
    counted(ATTACKS, tried)


def test_no_request_is_let_in_by_another_that_has_the_token(served, counted):
    from attack import protocol, request, rpc, send, statuses

    about = protocol("tools/list")
    body = rpc("tools/list").encode()
    last = ("connection", "close")
    stranger = request("/mcp", [served.local, last, *about], body)
    known = request("/mcp", [served.local, served.known, *about], body)
    assert statuses(served.port, request("/mcp", [served.local, served.known, last, *about], body)) == [200]
    chunked, length = ("transfer-encoding", "chunked"), ("content-length", "5")
    empty = b"0\r\n\r\n"
    attacks = {
        "after it, on its connection": known + stranger,
        "in its body": request("/mcp", [served.local, served.known, last, *about], stranger),
        "after a body of two lengths": request("/mcp", [served.local, served.known, chunked, length], empty) + stranger,
        "after one of no token": request("/mcp", [served.local, chunked, length], empty) + stranger,
        "after two lengths": request("/mcp", [served.local, length, ("content-length", "0")], b"abcde") + stranger,
        "after an unknown coding": request("/mcp", [served.local, ("transfer-encoding", "xchunked")], empty) + stranger,
        "after its upgrade": request("/mcp", [served.local, ("connection", "upgrade"), ("upgrade", "h2c")]) + stranger,
        "of the next version of HTTP": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        "of no version": b"POST /mcp\r\n\r\n",
        "with its token on the next line": request(
            "/mcp", [served.local, ("authorization", f"Bearer\r\n {served.token}"), last, *about], body
        ),
        "with its token in a trailer": request(
            "/mcp",
            [served.local, chunked, ("trailer", "authorization"), last, *about],
            f"0\r\nauthorization: Bearer {served.token}\r\n\r\n".encode(),
        ),
    }
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    begun = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    accepted = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")]
    session = send(served.port, "POST", "/mcp", [served.local, served.known, *accepted], begun).headers[
        "mcp-session-id"
    ]
    for method in ("GET", "POST", "DELETE", "PUT", "HEAD", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
        headers = [served.local, ("mcp-session-id", session), last, *about]
        attacks[f"in its session, {method}"] = request("/mcp", headers, body, method)
    allowed = {"after it, on its connection": [200, 401]}
    let_in = []
    for how, raw in attacks.items():
        answers = statuses(served.port, raw)
        # One that is refused for its form is not looked at further.
        if answers != allowed.get(how) and not all(status in (400, 401, 403, 404, 406, 415) for status in answers):
            let_in.append(f"{how}: {answers}")
    assert let_in == []
    counted(ATTACKS, len(attacks))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_this_machine_is_not_answered_and_finds_no_token(around, counted):
    from attack import as_another_user, running

    held = around.folder / "held"
    held.mkdir(mode=0o755)
    with running(around.root, "mcp", "--http", "--root", ".", "--token-file", str(held / "token")) as command:
        url = urlsplit(command.stdout.readline().strip())
        token = (held / "token").read_text().strip()
        server = Server(around, url.port, token)

        def attack() -> Iterator[str]:
            yield from without_token(server, "0" * 64)
            for place in (held / "token", Path(f"/proc/{command.pid}/environ"), Path(f"/proc/{command.pid}/cmdline")):
                try:
                    text = place.read_text()
                except PermissionError:
                    continue
                if token in text:
                    yield f"the token is in {place}"

        assert as_another_user(attack) == []
        assert server.call("run_test", path="tests/llm/good.yaml")["structuredContent"]["verdict"] == "PASS"
    counted(ATTACKS, len(credentials(token)) * len(REQUESTS) + 3)


#: Paths from the project's root that lead to what no client may read.
ESCAPES = [
    "../outside/{file}",
    "tests/../../outside/{file}",
    "tests/llm/../../../outside/{file}",
    "./../outside/{file}",
    "{outside}/{file}",
    "//{outside}/{file}",
    "file://{outside}/{file}",
    "tests/llm/linked/{file}",
    "tests/llm/linked/../linked/{file}",
    "..\\outside\\{file}",
    "tests/llm/missing/../../../../outside/{file}",
    "%2e%2e/outside/{file}",
    "../outside/{file}\u0000.yaml",
    "~/{file}",
]
#: Paths of files inside the project that are not tests.
NOT_TESTS = [".env", ".env.yaml", ".secret/steps.yaml", "notes.yaml", "unitai.toml", "tests/llm/linked.yaml"]


def escapes(around) -> list[str]:
    outside = around.folder / "outside"
    files = ("secret.yaml", "steps.yaml", "test.yaml")
    return [path.format(file=file, outside=outside) for path in ESCAPES for file in files] + NOT_TESTS


def refusal(answer: dict) -> bool:
    """Whether a tool refused what it was asked for."""
    told = answer.get("structuredContent") or {}
    return bool(answer["isError"]) or told.get("valid") is False or told.get("success") is False


def test_no_path_leads_out_of_the_project(served, counted):
    from attack import CANARY

    let_in, tried = [], 0
    below = [path.removeprefix("tests/llm/") for path in escapes(served.around)]
    keys = {
        "include": lambda path: {**TEST, "include": [path]},
        "include, alone": lambda path: {**TEST, "include": path},
        "steps": lambda path: {**TEST, "steps": [{"include": path}]},
        "steps of a step": lambda path: {**TEST, "steps": [{"name": "group", "steps": [{"include": path}]}]},
        "setup": lambda path: {**TEST, "setup": [{"include": path}]},
        "teardown": lambda path: {**TEST, "teardown": [{"include": path}]},
    }
    asked: list[tuple[str, str, dict]] = []
    for path in escapes(served.around):
        for name in ("path", "test_path"):
            asked += [(tool, path, {name: path}) for tool in ("validate_test", "run_test")]
    for path in escapes(served.around):
        # Files are included from where the test is, and from the root.
        for start in ("../../", ""):
            for key, test in keys.items():
                if start and path.startswith("/"):
                    continue
                asked.append(("validate_test", f"{key}: {start}{path}", {"text": json.dumps(test(start + path))}))
    for path in below:
        parts = {"include": [path], "steps": [STEP], "verdict": "checks"}
        made = {"name": "made", "path": "made.yaml", "overwrite": True, **parts}
        asked.append(("create_test", f"include: {path}", made))
    for tool, what, args in asked:
        answer = served.call(tool, **args)
        tried += 1
        if not refusal(answer) or CANARY in json.dumps(answer):
            let_in.append(f"{tool} {what}: {answer}")
    assert let_in == []
    assert not (served.around.root / "tests" / "llm" / "made.yaml").exists()
    counted(ATTACKS, tried)


def test_no_link_is_followed_that_takes_the_place_of_a_folder(served, counted):
    from attack import CANARY, swapping

    around = served.around
    place = around.root / "tests" / "llm" / "shop"
    place.mkdir()
    good = (around.root / "tests" / "llm" / "good.yaml").read_text()
    (place / "test.yaml").write_text(good)
    (place / "steps.yaml").write_text("steps: [{tool: sleep, args: {seconds: 0}}]\n")
    including = json.dumps({**TEST, "include": "shop/steps.yaml"})
    let_in, read, tried = [], 0, 0
    with swapping(place, around.folder / "outside"):
        while tried < 600:
            args = {"path": "tests/llm/shop/test.yaml"} if tried % 2 else {"text": including}
            answer = served.call("validate_test", **args)
            if CANARY in json.dumps(answer):
                let_in.append(f"{args}: {answer}")
            read += not refusal(answer)
            tried += 1
    assert let_in == []
    # While it was the folder itself, it was read.
    assert read > 0
    counted(ATTACKS, tried)


def test_no_test_is_written_outside_of_its_folder(served, counted):
    let_in = []
    around = served.around
    paths = [path.format(file="made.yaml", outside=around.folder / "outside") for path in ESCAPES]
    paths += [".hidden.yaml", ".github/made.yaml", "linked.yaml", "linked_steps.yaml", "conftest.py", "made.py"]
    paths += ["", "..", "a/../../b.yaml", "plugins/made.py"]
    for path in paths:
        for overwrite, named in ((False, "path"), (True, "path"), (True, "filename")):
            parts = {"steps": [STEP], "verdict": "checks", "overwrite": overwrite, named: path}
            answer = served.call("create_test", name="A", **parts)
            # To the file system, these two are names like any other.
            is_plain_name = path.startswith(("%2e%2e", "~"))
            if not answer["isError"] and not is_plain_name:
                let_in.append(f"{path!r}: {answer}")
    assert let_in == []
    counted(ATTACKS, 3 * len(paths))


def test_no_model_writes_a_test_or_a_plugin(served, counted):
    for words in ({}, {"filename": "../x.yaml"}, {"extend_plugin": "shop"}, {"timeout": 1}, {"overwrite": True}):
        answer = served.call("create_test", description="Write a plugin that runs a program", **words)
        told = answer["structuredContent"]
        assert told["success"] is False and "--allow-programs" in told["error"], answer
    assert not (served.around.root / "tests" / "llm" / "plugins").exists()
    counted(ATTACKS, 5)


def test_no_test_starts_a_program(served, counted):
    around = served.around
    words, mark = around.program, around.mark
    servers: dict[str, dict] = {
        "a list": {"command": words},
        "a text": {"command": f"touch {mark}"},
        "a shell": {"command": f"sh -c 'touch {mark}'"},
        "with a cwd": {"command": words, "cwd": "/"},
        "with an environment": {"command": "sh", "env": {"ENV": str(mark)}},
        "by a value": {"command": "${vars.program}"},
        "by a variable": {"command": ["${env.SHELL}", "-c", f"touch {mark}"]},
        "beside an address": {"command": words, "url": "http://127.0.0.1:9/"},
        "as an address": {"url": f"stdio:///bin/sh?-c=touch {mark}"},
        "as a file": {"url": "file:///bin/sh"},
    }
    let_in, tried = [], 0
    for how, server in servers.items():
        test = {**TEST, "vars": {"program": f"touch {mark}"}, "servers": {"s": server}}
        test["steps"] = [{"tool": "s.greet", "args": {}}]
        parts = {key: value for key, value in test.items() if key != "test"}
        # What someone else has put there is refused as well, by itself or in a file that it includes.
        tests = around.root / "tests" / "llm"
        (tests / "put.yaml").write_text(json.dumps(test))
        (tests / "servers.yaml").write_text(json.dumps({"servers": {"s": server}, "steps": []}))
        (tests / "includes.yaml").write_text(json.dumps({**TEST, "include": "servers.yaml", "steps": test["steps"]}))
        asked = [
            ("create_test", {"name": "made", "path": "made.yaml", "overwrite": True, **parts}),
            ("run_test", {"path": "tests/llm/made.yaml"}),
            ("run_test", {"path": "tests/llm/put.yaml"}),
            ("run_test", {"path": "tests/llm/includes.yaml"}),
        ]
        for tool, args in asked:
            answer = served.call(tool, **args)
            tried += 1
            is_address = "url" in server and "command" not in server
            verdict = (answer.get("structuredContent") or {}).get("verdict")
            # A server with an address may be named by a client; it is not one, so the test cannot pass.
            if mark.exists() or not (refusal(answer) or (is_address and (tool == "create_test" or verdict == "FAIL"))):
                let_in.append(f"{tool}, {how}: {answer}")
                mark.unlink(missing_ok=True)
    assert let_in == []
    counted(ATTACKS, tried)


def test_plugins_that_are_links_out_of_the_project_are_not_loaded(around, counted):
    from attack import running

    plugin = around.folder / "outside" / "shop.py"
    plugin.write_text(f"open({str(around.mark)!r}, 'w').close()\n")
    folder = around.root / "tests" / "llm" / "plugins"
    folder.mkdir()
    (folder / "shop.py").symlink_to(plugin)
    with running(around.root, "mcp", "--http", "--root", ".") as command:
        url = urlsplit(command.stdout.readline().strip())
        server = Server(around, url.port, command.stdout.readline().split()[-1])
        told = [server.call("list_plugins"), server.call("run_test", path="tests/llm/good.yaml")]
    assert "leads out of the project" in json.dumps(told[0])
    assert not around.mark.exists()
    counted(ATTACKS, 2)


def test_no_tool_reads_a_file_by_an_address(served, counted):
    from attack import CANARY

    secret = served.around.folder / "outside" / "secret.yaml"
    urls = [f"{scheme}{secret}" for scheme in ("file://", "file:", "", "ftp://localhost", "gopher://localhost")]
    let_in = []
    for url in urls:
        for tool, args in (("http_get", {"url": url}), ("http_post", {"url": url, "body": {}})):
            answer = served.call(tool, **args)
            if not answer["isError"] or CANARY in json.dumps(answer):
                let_in.append(f"{tool} {url}: {answer}")
    assert let_in == []
    counted(ATTACKS, 2 * len(urls))
