"""Requests over HTTP/2, as clients send them whose users ask for it: recorded, and replayed with the provider gone."""

from __future__ import annotations

import json
import socket
import threading

import pytest
from loopback import Asked, Server
from provider import COOKIE, Provider

from unitai import MockToolkit, cassette

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore")]

h2 = pytest.importorskip("h2.connection")

#: What a client may receive before it says so.
MOST_IN_A_FRAME = 1 << 14


class Front:
    """Speaks HTTP/2 from the first byte, and has the answers from a provider."""

    def __init__(self, provider: Server) -> None:
        self._provider = provider
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Front:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # A thread that waits in `accept` hears nothing of a socket that is only closed.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        from h2.config import H2Configuration
        from h2.events import DataReceived, RequestReceived, StreamEnded

        state = h2.H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        state.initiate_connection()
        asked: dict[int, tuple[dict[str, str], bytearray]] = {}
        with connection:
            connection.sendall(state.data_to_send())
            while data := connection.recv(1 << 16):
                for event in state.receive_data(data):
                    if isinstance(event, RequestReceived):
                        asked[event.stream_id] = (dict(event.headers), bytearray())
                    elif isinstance(event, DataReceived):
                        asked[event.stream_id][1].extend(event.data)
                        state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, StreamEnded):
                        self._answer(state, event.stream_id, *asked.pop(event.stream_id))
                connection.sendall(state.data_to_send())

    def _answer(self, state: object, stream: int, headers: dict[str, str], body: bytes) -> None:
        request = Asked(headers[":method"], headers[":path"], headers, bytes(body), 0.0)
        self._provider.note(request)
        answered = self._provider.respond(request)
        head = [(":status", str(answered.status)), ("content-type", answered.content_type), *answered.headers.items()]
        state.send_headers(stream, head)
        pieces = [answered.body] if isinstance(answered.body, bytes) else answered.body
        for piece in pieces:
            for at in range(0, len(piece), MOST_IN_A_FRAME):
                state.send_data(stream, piece[at : at + MOST_IN_A_FRAME])
        state.end_stream(stream)


def chat(client, streamed):
    """Two calls of the raw client; gives what was said."""
    said = []
    for question in ("Hi", "And now?"):
        body = {"model": "gpt-4o-mini", "stream": streamed, "messages": [{"role": "user", "content": question}]}
        with client.stream("POST", "/v1/chat/completions", json=body) as answer:
            said.append(b"".join(answer.iter_bytes()).decode())
            assert answer.status_code == 200
    return said


def completions(client, streamed):
    """Two calls of an SDK of OpenAI."""
    said = []
    for question in ("Hi", "And now?"):
        messages = [{"role": "user", "content": question}]
        answer = client.chat.completions.create(model="gpt-4o-mini", stream=streamed, messages=messages)
        said.append(
            "".join(chunk.choices[0].delta.content or "" for chunk in answer) if streamed else answer.model_dump()
        )
    return said


def messages(client, streamed):
    """Two calls of the SDK of Anthropic."""
    said = []
    for question in ("Hi", "And now?"):
        options = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [{"role": "user", "content": question}]}
        answer = client.messages.create(stream=streamed, **options)
        said.append([event.model_dump() for event in answer] if streamed else answer.model_dump())
    return said


def clients(name, url):
    """A client over HTTP/2, and what asks it."""
    module = pytest.importorskip(name)
    versions = {"http1": False, "http2": True, "trust_env": False}
    if name in ("httpx", "httpx2"):
        return module.Client(base_url=url, **versions), chat
    http_client = module.DefaultHttpxClient(**versions)
    if name == "openai":
        return module.OpenAI(api_key="none", base_url=f"{url}/v1", http_client=http_client), completions
    return module.Anthropic(api_key="none", base_url=url, http_client=http_client), messages


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("name", ["httpx", "httpx2", "openai", "anthropic"])
def test_two_calls_over_http2_are_replayed_with_the_provider_gone(name, streamed, tmp_path):
    def run(url):
        client, ask = clients(name, url)
        with client:
            result = MockToolkit(ask_for_usage=False).run(lambda input, tools: ask(client, streamed), "Hi")
        assert result.error is None
        return result.output

    provider = Provider()
    try:
        with Front(provider) as front:
            with cassette("record", tmp_path) as tape:
                recorded = run(front.url)
            assert (tape.recorded, tape.redacted) == (2, 0)
            assert {request.headers[":method"] for request in provider.requests} == {"POST"}
            assert provider.edge.cookies_returned == 1
            url = front.url
    finally:
        provider.close()
    with cassette("replay", tmp_path) as tape:
        assert run(url) == recorded
    assert tape.replayed == 2
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json")]
    assert len(stored) == 2
    assert COOKIE not in json.dumps(stored)
