"""The hook on httpx and httpx2, which most model SDKs use.

It sits where a client picks its transport, so clients that exist already and clients with a
transport of their own are covered too. Both packages are alike, but their classes do not mix:
everything is built from the classes of the module in hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from unitai._engine import Reply, claims, decide
from unitai.traffic.patches import Patch, refusing, unsupported
from unitai.traffic.serving import handled, is_handled, pause, pause_async, why

_SEAM = "_transport_for_url"

#: Transports that lead to an app in this process: what a test sends to its own app is no model's.
_IN_PROCESS = frozenset({"ASGITransport", "WSGITransport", "_TestClientTransport"})


def patches(module: Any) -> list[Patch]:
    """What to replace in this module."""
    named = [getattr(module, name, None) for name in ("Client", "AsyncClient")]
    clients = [client for client in named if isinstance(client, type)]
    if not clients:
        return []
    if all(hasattr(client, _SEAM) for client in clients):
        transport_class = _transport_class(module)
        return [Patch(client, _SEAM, _choosing(transport_class)) for client in clients]

    def refuse(client: Any, request: Any, *_: Any, **__: Any) -> None:
        if claims(request.method, str(request.url)):
            raise unsupported(module, f"{type(client).__name__}.{_SEAM}")

    return [Patch(client, "send", refusing(refuse)) for client in clients]


def _choosing(transport_class: Any) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def _transport_for_url(client: Any, url: Any) -> Any:
            return transport_class(original(client, url), client, original)

        return _transport_for_url

    return make


def _transport_class(module: Any) -> Any:
    """The transport that stands before a client's own."""
    response_class, byte_stream = module.Response, module.ByteStream
    paced_stream, watched_stream = _stream_classes(module)

    def answer(reply: Any) -> Any:
        # As a stream, not as content: a response that was read already behaves differently.
        body = reply.body
        stream = paced_stream(reply) if body is None else byte_stream(body)
        return response_class(reply.status, headers=reply.headers, stream=stream)

    def read_already(response: Any, passage: Any) -> Any:
        """A transport may hand over an answer that never was on a wire; nobody will read its stream."""
        headers = response.headers.copy()
        passage.head(response.status_code, headers.get("content-type", ""), "", headers)
        given = passage.feed(response.content) + passage.end()
        if passage.is_cut:
            raise cut_off(module, passage)
        if given == response.content:
            return response
        for name in ("content-length", "content-encoding"):
            headers.pop(name, None)
        return response_class(response.status_code, headers=headers, content=given, extensions=response.extensions)

    def watched(response: Any, passage: Any) -> Any:
        if hasattr(response, "_content"):
            return read_already(response, passage)
        headers = response.headers
        kind, encoding = headers.get("content-type", ""), headers.get("content-encoding", "")
        passage.head(response.status_code, kind, encoding, headers)
        if passage.changes_answer and "content-length" in headers:
            del headers["content-length"]  # The body may come out shorter than it was sent.
        response.stream = watched_stream(response.stream, passage)
        return response

    class UnitAITransport(module.BaseTransport, module.AsyncBaseTransport):  # type: ignore[misc]
        __slots__ = ("_choose", "_client", "_stays_here", "_transport")

        def __init__(self, transport: Any, client: Any, choose: Any) -> None:
            self._transport = transport
            self._client = client
            self._choose = choose
            self._stays_here = type(transport).__name__ in _IN_PROCESS

        def handle_request(self, request: Any) -> Any:
            method, url = request.method, str(request.url)
            if self._stays_here or (handled.get() and is_handled(url)):
                return self._transport.handle_request(request)
            # A body that is in hand is looked at at once; one that is not is read only if it may matter.
            if not hasattr(request, "_content") and not claims(method, url):
                return self._transport.handle_request(request)
            body = request.read()
            decision = decide(method, url, _encoding(request, body), body, request.headers)
            if isinstance(decision, Reply):
                if decision.delay > 0:
                    _wait(decision, request)
                if decision.breaks:
                    raise broken(module, decision, request)
                decision.release()
                return answer(decision)
            if decision is None:
                return self._transport.handle_request(request)
            if decision.delay > 0:
                _wait(decision, request)
            sent, transport = self._prepare(request, decision)
            token = handled.set(str(sent.url))
            try:
                response = transport.handle_request(sent)
            except BaseException as error:
                decision.broke(why(error))
                raise
            finally:
                handled.reset(token)
            return watched(response, decision)

        async def handle_async_request(self, request: Any) -> Any:
            method, url = request.method, str(request.url)
            if self._stays_here or (handled.get() and is_handled(url)):
                return await self._transport.handle_async_request(request)
            if not hasattr(request, "_content") and not claims(method, url):
                return await self._transport.handle_async_request(request)
            body = await request.aread()
            decision = decide(method, url, _encoding(request, body), body, request.headers)
            if isinstance(decision, Reply):
                if decision.delay > 0:
                    await _wait_async(decision, request)
                if decision.breaks:
                    raise broken(module, decision, request)
                decision.release()
                return answer(decision)
            if decision is None:
                return await self._transport.handle_async_request(request)
            if decision.delay > 0:
                await _wait_async(decision, request)
            sent, transport = self._prepare(request, decision)
            token = handled.set(str(sent.url))
            try:
                response = await transport.handle_async_request(sent)
            except BaseException as error:
                decision.broke(why(error))
                raise
            finally:
                handled.reset(token)
            return watched(response, decision)

        def _prepare(self, request: Any, passage: Any) -> tuple[Any, Any]:
            """The request as it goes out, and through what. The client's own request object stays as it is."""
            body, url = passage.body, passage.url
            if body is None and url is None and not passage.wants_identity:
                return request, self._transport
            headers, transport = request.headers.copy(), self._transport
            if url is None:
                target = request.url
            else:
                target = module.URL(url)
                headers["host"] = target.netloc.decode("ascii")
                transport = self._choose(self._client, target)
            if body is None:
                body = request.content
            else:
                for name in ("content-encoding", "transfer-encoding"):
                    headers.pop(name, None)
                headers["content-length"] = str(len(body))
            if passage.wants_identity:
                headers["accept-encoding"] = "identity"
            sent = module.Request(request.method, target, headers=headers, content=body, extensions=request.extensions)
            return sent, transport

    def read_timeout(reply: Any, request: Any) -> float | None:
        """The client's patience, where the answer would take longer."""
        patience = request.extensions.get("timeout", {}).get("read")
        return patience if patience is not None and patience < reply.delay else None

    def _wait(reply: Any, request: Any) -> None:
        patience = read_timeout(reply, request)
        try:
            pause(reply.delay if patience is None else patience)
            if patience is not None:
                raise module.ReadTimeout("The read operation timed out", request=request)
        except BaseException as error:
            reply.broke(why(error))
            raise

    async def _wait_async(reply: Any, request: Any) -> None:
        patience = read_timeout(reply, request)
        try:
            await pause_async(reply.delay if patience is None else patience)
            if patience is not None:
                raise module.ReadTimeout("The read operation timed out", request=request)
        except BaseException as error:
            reply.broke(why(error))
            raise

    return UnitAITransport


def _encoding(request: Any, body: bytes) -> str:
    if body[:1] == b"{":
        return ""  # No encoding begins like JSON, and to ask for a header takes a while.
    headers = request.headers
    return str(headers["content-encoding"]) if "content-encoding" in headers else ""


def broken(module: Any, reply: Any, request: Any) -> Any:
    """What the client raises when its connection breaks before an answer comes."""
    if reply.breaks == "timeout":
        error = module.ReadTimeout("The read operation timed out", request=request)
    else:
        error = module.ReadError("[Errno 104] Connection reset by peer", request=request)
    reply.broke(why(error))
    return error


def cut_off(module: Any, answer: Any) -> Any:
    """What the client raises when its connection ends in the middle of an answer."""
    message = "peer closed connection without sending complete message body (incomplete chunked read)"
    error = module.RemoteProtocolError(message)
    answer.broke(why(error))
    return error


def _stream_classes(module: Any) -> tuple[Any, Any]:
    """Bodies for sync and async clients alike: one that takes its time, and one that is watched."""

    class PacedStream(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, reply: Any) -> None:
            self._reply = reply

        def __iter__(self) -> Iterator[bytes]:
            reply = self._reply
            for position in range(reply.count):
                if wait := reply.pause_before(position):
                    pause(wait)
                if piece := reply.sent(position):
                    yield piece
                if reply.is_cut:
                    raise cut_off(module, reply)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            reply = self._reply
            for position in range(reply.count):
                if wait := reply.pause_before(position):
                    await pause_async(wait)
                if piece := reply.sent(position):
                    yield piece
                if reply.is_cut:
                    raise cut_off(module, reply)

        def close(self) -> None:
            self._reply.close()

        async def aclose(self) -> None:
            self._reply.close()

    class WatchedStream(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, passage: Any) -> None:
            self._stream = stream
            self._passage = passage

        def __iter__(self) -> Iterator[bytes]:
            passage = self._passage
            chunks = iter(self._stream)
            try:
                while True:
                    if passage.pace:
                        pause(passage.pace)
                    # Only what goes wrong in here is the connection's fault.
                    try:
                        chunk = next(chunks)
                    except StopIteration:
                        break
                    except BaseException as error:
                        passage.broke(why(error))
                        raise
                    given = passage.feed(chunk)
                    if given:
                        yield given
                    if passage.is_cut:
                        raise cut_off(module, passage)
                rest = passage.end()
                if rest:
                    yield rest
                if passage.is_cut:
                    raise cut_off(module, passage)
            finally:
                passage.close()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            passage = self._passage
            chunks = self._stream.__aiter__()
            try:
                while True:
                    if passage.pace:
                        await pause_async(passage.pace)
                    try:
                        chunk = await chunks.__anext__()
                    except StopAsyncIteration:
                        break
                    except BaseException as error:
                        passage.broke(why(error))
                        raise
                    given = passage.feed(chunk)
                    if given:
                        yield given
                    if passage.is_cut:
                        raise cut_off(module, passage)
                rest = passage.end()
                if rest:
                    yield rest
                if passage.is_cut:
                    raise cut_off(module, passage)
            finally:
                passage.close()
                if hasattr(chunks, "aclose"):
                    await chunks.aclose()

        def close(self) -> None:
            try:
                self._stream.close()
            finally:
                self._passage.close()

        async def aclose(self) -> None:
            try:
                await self._stream.aclose()
            finally:
                self._passage.close()

        def __del__(self) -> None:
            # Some clients drop a stream without a word once they have seen its end mark.
            self._passage.close()

    return PacedStream, WatchedStream
