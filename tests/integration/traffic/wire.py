"""Model requests as plain HTTP: urllib3 is in every environment, the other clients where they are installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest
import urllib3

#: One model call, as the body of a request to `/v1/chat/completions`.
CHAT = "/v1/chat/completions"


class Anywhere:
    """A server that only a script answers for."""

    url = "https://api.openai.com"


def chat(text: str = "Hi", *, stream: bool = False, model: str = "gpt-4o-mini", **more: Any) -> dict[str, Any]:
    """A request of OpenAI's chat completions."""
    return {"model": model, "messages": [{"role": "user", "content": text}], "stream": stream, **more}


def post(url: str, body: Any, **options: Any) -> urllib3.BaseHTTPResponse:
    """Sends a body as JSON, on a connection of its own, and never again."""
    with urllib3.PoolManager(retries=False) as pool:
        return pool.request("POST", url, json=body, **options)


def ask(server: Any, text: str = "Hi", **more: Any) -> str:
    """One plain model call; gives what the model said."""
    answer = post(server.url + CHAT, chat(text, **more))
    assert answer.status == 200, answer.data
    return answer.json()["choices"][0]["message"]["content"]


def said(data: bytes) -> str:
    """The text of a stream of chat completions. No chunk may be without a choice."""
    lines = [line[6:] for line in data.decode().split("\n") if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return "".join(json.loads(line)["choices"][0]["delta"].get("content") or "" for line in lines[:-1])


# Each of these sends a request and gives the pieces of its answer as they come.


def with_urllib3(url: str, body: Any) -> Iterator[bytes]:
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("POST", url, json=body, preload_content=False)
        with closing(answer):
            yield from answer.stream(amt=2**16, decode_content=True)


def with_requests(url: str, body: Any) -> Iterator[bytes]:
    import requests

    with requests.Session() as session, session.post(url, json=body, stream=True) as answer:
        yield from answer.iter_content(None)


def with_httpx(url: str, body: Any) -> Iterator[bytes]:
    import httpx

    yield from _httpx(httpx, url, body)


def with_httpx2(url: str, body: Any) -> Iterator[bytes]:
    import httpx2

    yield from _httpx(httpx2, url, body)


def _httpx(module: Any, url: str, body: Any) -> Iterator[bytes]:
    with module.Client(trust_env=False) as client, client.stream("POST", url, json=body) as answer:
        yield from answer.iter_bytes()


async def with_httpx_async(url: str, body: Any) -> Any:
    import httpx

    async with httpx.AsyncClient(trust_env=False) as client, client.stream("POST", url, json=body) as answer:
        async for piece in answer.aiter_bytes():
            yield piece


async def with_aiohttp(url: str, body: Any) -> Any:
    import aiohttp

    async with aiohttp.ClientSession() as session, session.post(url, json=body) as answer:
        async for piece in answer.content.iter_any():
            yield piece


SYNC = [with_urllib3, with_requests, with_httpx, with_httpx2]
ASYNC = [with_httpx_async, with_aiohttp]
NEEDS = dict(zip([*SYNC, *ASYNC], ["urllib3", "requests", "httpx", "httpx2", "httpx", "aiohttp"], strict=True))


def reading(client: Callable[..., Any], url: str, body: Any, seen: Callable[[bytes], None]) -> Callable[..., Any]:
    """An agent that sends a request with this client, shows each piece to `seen`, and gives them together.
    Without the client's package the test is skipped.
    """
    pytest.importorskip(NEEDS[client])
    if client in ASYNC:

        async def read_async(input: Any, tools: Any) -> bytes:
            pieces = []
            async with aclosing(client(url, body)) as stream:
                async for piece in stream:
                    seen(piece)
                    pieces.append(piece)
            return b"".join(pieces)

        return read_async

    def read(input: Any, tools: Any) -> bytes:
        pieces = []
        with closing(client(url, body)) as stream:
            for piece in stream:
                seen(piece)
                pieces.append(piece)
        return b"".join(pieces)

    return read
