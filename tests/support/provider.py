"""A provider like the real ones: what stands before their models, as recordings of public projects show it.

Cookies of a proxy that hold the time of every answer, long ids, compression as the client asks for it, comments in streams,
limits that are told in headers, and now and then a refusal that is to be tried again.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from loopback import Answered, Asked, Server
from provider_bodies import as_provider, dialect_of, refusal

#: The time that every answer has, and every cookie.
CREATED = 1700000000
#: What no recording may hold: the middle of every cookie.
COOKIE = "Vx2nQ8sLr4tYb7KzThm47OHkniqz2QfnAJXlZ3"
#: How providers say that they are busy, in the dialects whose clients try again by themselves: status, headers.
BUSY = {
    "openai_chat": (429, {"retry-after": "0", "retry-after-ms": "5"}),
    "openai_responses": (429, {"retry-after": "0", "retry-after-ms": "5"}),
    "anthropic": (529, {"retry-after": "0", "x-should-retry": "true"}),
}
#: Ids as the tests have them, and as long as they are in life.
LONG_IDS = {
    b"chatcmpl-1": b"chatcmpl-DSbN2XkPqLr7tVwYz0AaBcDeFgHiJ",
    b"resp_1": b"resp_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182",
    b"msg_1": b"msg_01XFDUDYJgAACzvnptvVoYEL",
}


def _compressed(encoding: str) -> Callable[[bytes], bytes] | None:
    """What compresses so, where it is installed."""
    if encoding == "gzip":
        return gzip.compress
    try:
        return import_module({"br": "brotli", "zstd": "zstandard"}[encoding]).compress
    except (ImportError, KeyError):
        return None


class Edge:
    """What stands before a provider's models: it dresses every answer."""

    def __init__(self) -> None:
        self._seen = 0
        #: The encodings that were used.
        self.encodings: list[str] = []
        #: How many requests brought a cookie back.
        self.cookies_returned = 0

    def dress(self, asked: Asked, answered: Answered) -> Answered:
        """The answer as it comes out in front."""
        self._seen += 1
        self.cookies_returned += COOKIE in asked.headers.get("cookie", "")
        is_text = answered.content_type.startswith(("application/json", "text/event-stream"))
        pieces = [answered.body] if isinstance(answered.body, bytes) else list(answered.body)
        if is_text:
            pieces = [_with_long_ids(piece) for piece in pieces]
        is_stream = answered.content_type.startswith("text/event-stream")
        if is_stream and dialect_of(asked.path) in BUSY:
            # As OpenRouter does before the first event, and between others where a model thinks. Google never does, and its
            # SDK would not understand it.
            pieces = [b": PROCESSING\n\n", *pieces[:1], b": keep-alive\n\n", *pieces[1:]]
        headers = {**answered.headers, **self._headers()}
        encoding, compress = self._encoding(asked)
        if compress is not None and pieces:
            headers["content-encoding"] = encoding
            whole = compress(b"".join(pieces))
            # As a network cuts it: in pieces that mean nothing.
            pieces = [whole[at : at + 100] for at in range(0, len(whole), 100)]
        is_whole = isinstance(answered.body, bytes) and not is_stream
        body: bytes | Iterable[bytes] = b"".join(pieces) if is_whole else pieces
        return Answered(body, answered.content_type, answered.status, headers, answered.is_cut)

    def _encoding(self, asked: Asked) -> tuple[str, Callable[[bytes], bytes] | None]:
        """The best one that the client takes, as such proxies choose it."""
        taken = re.split(r"[,;\s]+", asked.headers.get("accept-encoding", ""))
        for encoding in ("zstd", "br", "gzip"):
            if encoding in taken and (compress := _compressed(encoding)) is not None:
                self.encodings.append(encoding)
                return encoding, compress
        return "", None

    def _headers(self) -> dict[str, str]:
        cookie = f"__cf_bm={COOKIE}{self._seen}-{CREATED}.3800187-1.0.1.1-BpZkEAY7TqjZumYVaDT_S8K_VzW5VIHFOVJ1I5CRfaY"
        return {
            "set-cookie": f"{cookie}; path=/; expires=Thu, 09-Apr-2099 01:27:32 GMT; HttpOnly; SameSite=None",
            "cf-ray": "9e958ee31ed82acf-LAX",
            "cf-cache-status": "DYNAMIC",
            "server": "cloudflare",
            "alt-svc": 'h3=":443"; ma=86400',
            "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
            "x-request-id": f"req_998ff47aa5fa4e6fac0ff1f65fda22{self._seen:02d}",
            "openai-organization": "acme-ewa7w1",
            "openai-processing-ms": "996",
            "openai-version": "2020-10-01",
            "x-ratelimit-limit-tokens": "150000000",
            "x-ratelimit-remaining-tokens": "149999705",
            "x-ratelimit-reset-tokens": "0s",
        }


def _with_long_ids(body: bytes) -> bytes:
    for short, long in LONG_IDS.items():
        body = body.replace(b'"' + short + b'"', b'"' + long + b'"')
    return body


class Provider(Server):
    """Numbers its answers. With `is_busy` it refuses each first request, in the dialects whose clients try again."""

    def __init__(self, *, is_busy: bool = False) -> None:
        super().__init__()
        self.edge = Edge()
        self.answers = 0
        self._is_busy = is_busy
        self._refused = False
        self.respond = self._respond

    def _respond(self, asked: Asked) -> Answered:
        busy = BUSY.get(dialect_of(asked.path))
        if self._is_busy and busy is not None and not self._refused:
            self._refused = True
            status, headers = busy
            told: dict[str, Any] = refusal(asked.path, status, "Overloaded")
            return self.edge.dress(asked, Answered(**{**told, "headers": {**told["headers"], **headers}}))
        self._refused = False
        self.answers += 1
        answer = as_provider(asked.path, asked.body, text=f"answer number {self.answers}")
        return self.edge.dress(asked, Answered(**answer))
