"""Answers that are compressed on their way: the client gets what was sent, and the usage is read."""

from __future__ import annotations

import gzip
import json
import sys
import zlib

import pytest
import urllib3
from loopback import Answered
from provider_bodies import PROMPT, SAID, TEXT, as_provider
from wire import ASYNC, CHAT, SYNC, chat, reading, said

from unitai import MockToolkit

pytestmark = pytest.mark.integration


def brotli(data):
    return pytest.importorskip("brotli").compress(data)


def zstd(data):
    return pytest.importorskip("zstandard").compress(data)


ENCODINGS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli, "zstd": zstd}

encodings = pytest.mark.parametrize("encoding", ENCODINGS)
clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)


def compressing(encoding):
    def respond(asked):
        answer = as_provider(asked.path, asked.body)
        whole = answer["body"] if isinstance(answer["body"], bytes) else b"".join(answer["body"])
        packed = ENCODINGS[encoding](whole)
        body = [packed[at : at + 7] for at in range(0, len(packed), 7)]
        return Answered(**{**answer, "body": body, "headers": {"content-encoding": encoding}})

    return respond


def unpacked(output, encoding):
    """What the client gave: decoded, or as it was sent where the client knows no such encoding."""
    if TEXT.split()[0].encode() in output:
        return output
    if encoding == "br":
        return pytest.importorskip("brotli").decompress(output)
    assert encoding == "zstd"
    return pytest.importorskip("zstandard").ZstdDecompressor().decompressobj().decompress(output)


def check_support(client, encoding):
    """Skips where the encoding cannot be written here, or the client refuses it by itself."""
    ENCODINGS[encoding](b"")
    if encoding == "zstd" and client.__name__ == "with_aiohttp" and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    if encoding == "br" and client.__name__ == "with_aiohttp":
        pytest.importorskip("brotli")


@encodings
@clients
def test_a_whole_answer_is_metered(client, encoding, server):
    check_support(client, encoding)
    server.respond = compressing(encoding)
    result = MockToolkit().run(reading(client, server.url + CHAT, chat(), lambda piece: None), "x")

    assert result.error is None
    assert TEXT.encode() in unpacked(result.output, encoding)
    step = result.trajectory.steps[0]
    assert (step.prompt_tokens, step.completion_tokens) == (PROMPT, SAID)


@encodings
@clients
def test_a_stream_is_metered(client, encoding, server):
    check_support(client, encoding)
    server.respond = compressing(encoding)
    body = chat(stream=True, stream_options={"include_usage": True})
    result = MockToolkit().run(reading(client, server.url + CHAT, body, lambda piece: None), "x")

    assert result.error is None
    assert b"Hello" in unpacked(result.output, encoding)
    step = result.trajectory.steps[0]
    assert (step.prompt_tokens, step.completion_tokens) == (PROMPT, SAID)


@clients
def test_a_stream_that_something_is_taken_out_of_is_not_compressed(client, server):
    result = MockToolkit().run(reading(client, server.url + CHAT, chat(stream=True), lambda piece: None), "x")

    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert said(result.output) == TEXT


def test_a_request_that_was_compressed_is_understood_and_sent_as_it_was(server):
    packed = gzip.compress(json.dumps(chat()).encode())
    server.respond = lambda asked: Answered(**as_provider(asked.path, gzip.decompress(asked.body)))

    def agent(input, tools):
        headers = {"content-encoding": "gzip", "content-type": "application/json"}
        with urllib3.PoolManager(retries=False) as pool:
            return pool.request("POST", server.url + CHAT, body=packed, headers=headers).data

    result = MockToolkit().run(agent, "x")
    assert TEXT.encode() in result.output
    assert server.requests[0].body == packed
    assert result.trajectory.steps[0].prompt_tokens == PROMPT
