"""`unitai serve` forwards requests of programs that know its address, to the providers that were named, and no others."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.skipif(sys.platform == "win32", reason="users and signals of Unix")]

ATTACKS = "attacks on `unitai serve`, 0 let in"
BODY = json.dumps({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hi"}]})
JSON = ("content-type", "application/json")


@pytest.fixture
def provider():
    from loopback import Server

    with Server() as server:
        yield server


class Gateway:
    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    @property
    def local(self) -> tuple[str, str]:
        return ("host", f"127.0.0.1:{self.port}")

    def send(self, method: str, target: str, *headers: tuple[str, str]):
        from attack import send

        return send(self.port, method, target, list(headers), BODY if method == "POST" else "")


@pytest.fixture
def gateway(around, provider):
    from attack import running

    with running(around.root, "serve", "--upstream", f"openai={provider.url}") as command:
        line = next(line for line in command.stdout if "OPENAI_BASE_URL" in line)
        url = urlsplit(line.split("=", 1)[1].strip().strip("'\""))
        gateway = Gateway(url.port, url.path.split("/")[1])
        answer = gateway.send("POST", f"/{gateway.token}/openai/v1/chat/completions", gateway.local, JSON)
        assert answer.status == 200, answer
        provider.requests.clear()
        yield gateway


def targets(token: str) -> list[str]:
    """Where a request goes that does not know the token, or wants something else than the provider that was named."""
    wrong = ["", "/", "//", f"/{token[:-1]}", f"/{token}0", "/" + "0" * len(token), f"/{token.upper()}x", f"//{token}"]
    rest = "/openai/v1/chat/completions"
    elsewhere = [
        f"/{token}",
        f"/{token}/",
        f"/{token}/unknown/v1/messages",
        f"/{token}/http://evil.example/v1/chat/completions",
        f"/{token}/openai.evil.example/v1",
        f"/{token}/openai/../../admin",
        f"/{token}/openai/%2e%2e/admin",
        f"/{token}/openai/..%2fadmin",
        f"/{token}/openai/%252e%252e/admin",
        f"/{token}/openai/v1\\..\\admin",
        f"/{token}/openai/..;/admin",
        f"/{token}/openai/..;a=b/admin",
        f"/{token}/openai/%2e%2e%3b/admin",
        f"/{token}/openai/v1/%00",
        f"/{token}/openai/v1/%0d%0aHost:evil",
        f"http://evil.example/{token}/openai/v1/models",
        f"*{token}",
    ]
    return [f"{start}{rest}" for start in wrong] + [f"{rest}?token={token}", f"{rest}#{token}"] + elsewhere


def strangers(gateway: Gateway, token: str) -> Iterator[str]:
    for target in targets(token):
        for method in ("GET", "POST", "DELETE"):
            answer = gateway.send(method, target or "/", gateway.local, JSON, ("authorization", f"Bearer {token}"))
            if answer.status not in (400, 404) or answer.body.strip():
                yield f"{method} {target}: {answer}"


HOSTS = [
    "",
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "localhost:{port}@evil.example",
    "localhost:1",
    "localhost",
    "0.0.0.0:{port}",
    "127.0.0.1:{port}, evil.example",
    "127.1:{port}",
]
BROWSERS = [
    ("origin", "http://evil.example"),
    ("origin", "null"),
    ("origin", "http://127.0.0.1:{port}"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-origin"),
]


def test_no_stranger_is_forwarded(gateway, provider, counted):
    let_in = list(strangers(gateway, gateway.token))
    assert let_in == []
    assert provider.requests == []
    counted(ATTACKS, 3 * len(targets(gateway.token)))


def test_no_page_and_no_foreign_name_is_forwarded_even_with_the_token(gateway, provider, counted):
    target = f"/{gateway.token}/openai/v1/chat/completions"
    sent = [[("host", host.format(port=gateway.port)), JSON] for host in HOSTS]
    sent += [[gateway.local, (name, value.format(port=gateway.port)), JSON] for name, value in BROWSERS]
    sent += [[JSON], [gateway.local, gateway.local, JSON]]
    # What a form of a page can send without asking.
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
    sent += [[gateway.local, ("content-type", kind)] for kind in kinds]
    sent += [[gateway.local]]
    let_in, tried = [], 0
    for method in ("POST", "OPTIONS", "PUT", "PATCH", "HEAD", "CONNECT", "TRACE"):
        for headers in sent if method == "POST" else [[gateway.local, JSON], [gateway.local]]:
            answer = gateway.send(method, target, *headers)
            tried += 1
            if answer.status not in (400, 404, 405):
                let_in.append(f"{method} {headers}: {answer}")
    assert let_in == []
    assert provider.requests == []
    counted(ATTACKS, tried)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_this_machine_is_not_forwarded(gateway, provider, counted):
    from attack import as_another_user

    guess = "0" * len(gateway.token)
    assert as_another_user(lambda: strangers(gateway, guess)) == []
    assert provider.requests == []
    counted(ATTACKS, 3 * len(targets(guess)))
