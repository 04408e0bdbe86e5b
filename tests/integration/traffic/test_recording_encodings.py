"""Answers that are compressed although nobody asked for it: stored decoded, and right for every client that replays."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest
from loopback import Answered, Server
from provider_bodies import as_provider
from wire import ASYNC, CHAT, SYNC, chat, reading

from unitai import MockToolkit, cassette

# That something is set aside, or not kept, is what some of these tests are about.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::unitai.RecordingWarning")]

clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)


def brotli(data):
    return pytest.importorskip("brotli").compress(data)


def zstd(data):
    return pytest.importorskip("zstandard").compress(data)


ENCODINGS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli, "zstd": zstd}


def compressing(encoding, *, is_large):
    """A server that compresses whatever was asked."""
    ENCODINGS[encoding](b"")  # Here it can still be skipped.

    def respond(asked):
        text = "Hello " * (1_500 if is_large else 2)
        answer = as_provider(asked.path, asked.body, text=text)
        body = answer["body"]
        whole = ENCODINGS[encoding](body if isinstance(body, bytes) else b"".join(body))
        if not isinstance(body, bytes):
            # As it comes over a network: in pieces that mean nothing.
            whole = [whole[at : at + 700] for at in range(0, len(whole), 700)]
        return Answered(whole, answer.get("content_type", "application/json"), headers={"content-encoding": encoding})

    return respond


@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_it_is_stored_decoded_and_replayed_to_every_client(encoding, stream, is_large, tmp_path):
    body = chat(stream=stream)
    expected = as_provider(CHAT, json.dumps(body).encode(), text="Hello " * (1_500 if is_large else 2))["body"]
    expected = expected if isinstance(expected, bytes) else b"".join(expected)
    toolkit = MockToolkit(ask_for_usage=False)
    with Server() as server:
        server.respond = compressing(encoding, is_large=is_large)
        agent = reading(SYNC[0], server.url + CHAT, body, lambda piece: None)
        with cassette("record", tmp_path) as tape:
            # A client that does not know the encoding gets what it would have got without us.
            assert toolkit.run(agent, "x").error is None
        assert tape.recorded == 1
        assert server.requests[0].headers["accept-encoding"] == "identity"

    (file,) = tmp_path.glob("*.json")
    (slot,) = json.loads(file.read_text())["entry"]["slots"]
    assert "content-encoding" not in dict(slot["headers"])
    kept = [chunk.get("text") or json.dumps(chunk["json"], separators=(",", ":")) for chunk in slot["chunks"]]
    assert "".join(kept).encode() == expected

    for client in [*SYNC, *ASYNC]:
        try:
            agent = reading(client, server.url + CHAT, body, lambda piece: None)
        except pytest.skip.Exception:
            continue
        with cassette("replay", tmp_path) as tape:
            result = toolkit.run(agent, "x")
        assert (result.error, tape.replayed) == (None, 1)
        assert result.output == expected, client


@clients
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_client_records_what_is_compressed(client, encoding, server, tmp_path):
    """The client may know the encoding or not: what is stored is what was said."""
    server.respond = compressing(encoding, is_large=False)
    toolkit = MockToolkit(ask_for_usage=False)
    agent = reading(client, server.url + CHAT, chat(), lambda piece: None)
    if error := toolkit.run(agent, "x").error:
        pytest.skip(f"the client cannot read it: {error}")
    with cassette("record", tmp_path) as tape:
        assert toolkit.run(agent, "x").error is None
    assert tape.recorded == 1
    expected = as_provider(CHAT, json.dumps(chat()).encode(), text="Hello Hello ")["body"]
    with cassette("replay", tmp_path):
        assert toolkit.run(agent, "x").output == expected


def test_an_unknown_encoding_is_handed_on_and_not_kept(server, tmp_path):
    server.respond = lambda asked: Answered(b"\x00\x01\x02", headers={"content-encoding": "lzma2"})
    agent = reading(SYNC[0], server.url + CHAT, chat(), lambda piece: None)
    with cassette("record", tmp_path) as tape:
        MockToolkit().run(agent, "x")
    assert tape.recorded == 0
    assert list(tmp_path.glob("*.json")) == []
