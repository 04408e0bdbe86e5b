"""The hook on aiohttp, which google-genai uses for its async client, and litellm beneath httpx.

It sits at `ClientSession._request`. What comes back is aiohttp's own response class over a reader of
ours: a reader that fetches when somebody waits for bytes, so nothing runs in the background.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable
from typing import Any

from unitai._engine import Reply, claims, decide
from unitai.traffic.patches import Patch, refusing, unsupported
from unitai.traffic.serving import handled, is_handled, pause_async, why


def patches(module: Any) -> list[Patch]:
    """What to replace in this module."""
    session_class = getattr(module, "ClientSession", None)
    if not isinstance(session_class, type):
        return []
    if hasattr(session_class, "_request"):
        return [Patch(session_class, "_request", _requesting(module))]

    def refusal(verb: str) -> Callable[..., None]:
        def refuse(session: Any, *args: Any, **_: Any) -> None:
            method, url = (verb, args[0]) if verb else args[:2]
            if claims(method.upper(), str(_target(session, url, None))):
                raise unsupported(module, "ClientSession._request")

        return refuse

    verbs = ("request", "get", "options", "head", "post", "put", "patch", "delete")
    present = [name for name in verbs if hasattr(session_class, name)]
    return [Patch(session_class, name, refusing(refusal("" if name == "request" else name))) for name in present]


def _requesting(module: Any) -> Callable[[Any], Any]:
    parts = _Parts(module)

    def make(original: Any) -> Any:
        async def _request(session: Any, method: str, str_or_url: Any, **options: Any) -> Any:
            verb = method.upper()
            try:
                url = _target(session, str_or_url, options.get("params"))
            except (TypeError, ValueError):
                return await original(session, method, str_or_url, **options)  # It says best what is wrong.
            if is_handled(str(url)) or not claims(verb, str(url)):
                return await original(session, method, str_or_url, **options)
            body = _content(session, options)
            if body is None:
                # Not in hand, so it cannot be a model's request that we answer; but it may be one to refuse.
                body = b""
            headers = session._prepare_headers(options.get("headers"))
            decision = decide(verb, str(url), headers.get("content-encoding", ""), body, headers)
            if isinstance(decision, Reply):
                response = await parts.answer(session, verb, url, headers, options, decision)
            else:
                if decision is None:
                    return await original(session, method, str_or_url, **options)
                token = handled.set(decision.url or str(url))
                try:
                    response = await parts.watch(original, decision, session, method, str_or_url, options)
                finally:
                    handled.reset(token)
            await _check_status(session, response, options.get("raise_for_status"))
            return response

        return _request

    return make


class _Parts:
    """What is needed of the aiohttp in hand."""

    def __init__(self, module: Any) -> None:
        from aiohttp.client_reqrep import ClientResponse, RequestInfo  # type: ignore[import-not-found, unused-ignore]
        from aiohttp.helpers import TimerNoop  # type: ignore[import-not-found, unused-ignore]
        from multidict import CIMultiDict, CIMultiDictProxy  # type: ignore[import-not-found, unused-ignore]
        from yarl import URL  # type: ignore[import-not-found, unused-ignore]

        self._module = module
        self._response_class: Any = ClientResponse
        self._request_info: Any = RequestInfo
        self._timer: Any = TimerNoop
        self._headers: Any = CIMultiDict
        self._frozen_headers: Any = CIMultiDictProxy
        self._url: Any = URL
        self._protocol, self._paced_reader, self._watched_reader = _reader_classes()

    async def answer(
        self, session: Any, method: str, url: Any, sent_headers: Any, options: dict[str, Any], reply: Any
    ) -> Any:
        """The reply as a response."""
        if session.closed:
            raise RuntimeError("Session is closed")
        if reply.delay > 0:
            await self._wait(session, options, reply)
        if reply.breaks:
            raise self._broken(reply)
        reply.release()
        import asyncio

        loop = asyncio.get_running_loop()
        headers = self._headers(reply.headers)
        response = self._response(session, method, url, sent_headers, loop)
        response.version = self._module.HttpVersion11
        response.status = reply.status
        response.reason = _reason(reply.status)
        response._headers = self._frozen_headers(headers)
        response._raw_headers = tuple((name.encode(), value.encode()) for name, value in headers.items())
        response._closed = False
        limit = options.get("read_bufsize") or getattr(session, "_read_bufsize", 2**16)
        reader = self._paced_reader(self._protocol(loop), limit, loop=loop)
        # In this order, as in `ClientResponse.start`.
        reader.on_eof(response._response_eof)
        response.content = reader
        reader.begin(reply)
        return response

    def _response(self, session: Any, method: str, url: Any, sent_headers: Any, loop: Any) -> Any:
        response_class = getattr(session, "_response_class", self._response_class)
        info = self._request_info(url, method, self._frozen_headers(sent_headers), url)
        arguments = {
            "writer": None,
            "continue100": None,
            "timer": self._timer(),
            "request_info": info,
            "traces": [],
            "loop": loop,
            "session": session,
            "stream_writer": _Written,
        }
        # Not every release knows all of them.
        known = inspect.signature(response_class.__init__).parameters
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
            arguments = {name: value for name, value in arguments.items() if name in known}
        return response_class(method, url, **arguments)

    def _broken(self, reply: Any) -> Any:
        """What the client raises when its connection breaks before an answer comes."""
        if reply.breaks == "timeout":
            timeout = getattr(self._module, "SocketTimeoutError", self._module.ServerTimeoutError)
            error = timeout("Timeout on reading data from socket")
        else:
            error = self._module.ServerDisconnectedError()
        reply.broke(why(error))
        return error

    async def _wait(self, session: Any, options: dict[str, Any], reply: Any) -> None:
        """Waits for the reply, as long as the client would."""
        timeout = options.get("timeout")
        if not isinstance(timeout, (int, float, self._module.ClientTimeout)):
            timeout = getattr(session, "_timeout", None)
        total = getattr(timeout, "total", timeout)
        silence = getattr(timeout, "sock_read", None)
        patience = min((limit for limit in (total, silence) if limit), default=None)
        try:
            if patience is None or patience >= reply.delay:
                await pause_async(reply.delay)
                return
            await pause_async(patience)
            if patience == silence:
                timeout = getattr(self._module, "SocketTimeoutError", self._module.ServerTimeoutError)
                raise timeout("Timeout on reading data from socket")
            import asyncio

            raise asyncio.TimeoutError
        except BaseException as error:
            reply.broke(why(error))
            raise

    async def watch(
        self, original: Any, passage: Any, session: Any, method: str, url: Any, options: dict[str, Any]
    ) -> Any:
        """Sends the request as the passage wants it, and feeds the passage while the client reads."""
        # The status is checked later: here it would hide the answer.
        sent = {**options, "raise_for_status": False}
        headers = self._headers(options.get("headers") or ())
        target, body = passage.url, passage.body
        if target is not None:
            url = self._url(target, encoded=True)
            sent["params"] = None
            headers.popall("Host", None)
        if body is not None:
            for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
                headers.popall(name, None)
            if options.get("json") is not None:
                headers.setdefault("Content-Type", "application/json")
            elif isinstance(options.get("data"), str):
                headers.setdefault("Content-Type", "text/plain; charset=utf-8")
            sent["json"] = None
            sent["data"] = body
        if passage.wants_identity:
            headers["Accept-Encoding"] = "identity"
        sent["headers"] = headers
        if passage.delay > 0:
            await self._wait(session, options, passage)
        try:
            response = await original(session, method, url, **sent)
        except BaseException as error:
            passage.broke(why(error))
            raise
        decoded = options.get("auto_decompress")
        if decoded is None:
            decoded = getattr(session, "_auto_decompress", True)
        encoding = "" if decoded else response.headers.get("content-encoding", "")
        passage.head(response.status, response.headers.get("content-type", ""), encoding, response.headers)
        if passage.changes_answer and "content-length" in response.headers:
            # The body may come out shorter than it was sent.
            kept = self._headers(response.headers)
            kept.popall("content-length")
            response._headers = self._frozen_headers(kept)
        import asyncio

        loop = asyncio.get_running_loop()
        limit = getattr(response.content, "_low_water", 2**16)
        reader = self._watched_reader(self._protocol(loop), limit, loop=loop)
        reader.begin(response.content, passage)
        response.content = reader
        return response


class _Written:
    """What stands for the request that was sent: nothing was."""

    output_size = 0


def _reader_classes() -> tuple[Any, Any, Any]:
    """A protocol without connection, and two readers: of a reply, and of an answer that is watched."""
    from aiohttp.base_protocol import BaseProtocol  # type: ignore[import-not-found, unused-ignore]
    from aiohttp.streams import StreamReader  # type: ignore[import-not-found, unused-ignore]

    def cut_off(reader: Any, answer: Any) -> Any:
        """What the client raises when its connection ends in the middle of an answer."""
        from aiohttp import ClientPayloadError  # type: ignore[import-not-found, unused-ignore]

        error = ClientPayloadError("Response payload is not completed")
        answer.broke(why(error))
        reader.set_exception(error)
        return error

    class Protocol(BaseProtocol):  # type: ignore[misc, unused-ignore]
        __slots__ = ()
        connected = True

        def pause_reading(self) -> None:
            pass

        def resume_reading(self, *_: Any, **__: Any) -> None:
            pass

    class PacedReader(StreamReader):  # type: ignore[misc, unused-ignore]
        __slots__ = ("_position", "_reply")

        def begin(self, reply: Any) -> None:
            self._reply = reply
            self._position = 0
            body = reply.body
            if body is not None:
                self.feed_data(body)
                self.feed_eof()

        async def _wait(self, func_name: str) -> None:
            reply, position = self._reply, self._position
            if reply.is_cut:
                raise cut_off(self, reply)
            if position == reply.count:
                self.feed_eof()
                reply.close()
                return
            # A read may be given up here and another begun, so nothing is taken before.
            if wait := reply.pause_before(position):
                await pause_async(wait)
            piece = reply.sent(position)
            self._position += 1
            self.feed_data(piece)

        def set_exception(self, *args: Any) -> None:
            # So the response says that it was closed.
            super().set_exception(*args)
            self._reply.close()

    class WatchedReader(StreamReader):  # type: ignore[misc, unused-ignore]
        __slots__ = ("_inner", "_passage")

        def begin(self, inner: Any, passage: Any) -> None:
            self._inner = inner
            self._passage = passage
            self.begin_http_chunk_receiving()
            if inner.at_eof():
                self._finish()

        async def _wait(self, func_name: str) -> None:
            import asyncio

            if self._passage.is_cut:
                raise cut_off(self, self._passage)
            if self._passage.pace:
                await pause_async(self._passage.pace)
            try:
                data, ends_chunk = await self._inner.readchunk()
            except asyncio.CancelledError:
                raise  # Only this read was given up; there may be another.
            except BaseException as error:
                self._passage.broke(why(error))
                raise
            self._add(data)
            if ends_chunk:
                self.end_http_chunk_receiving()
            if self._passage.is_cut:
                return
            if self._inner.at_eof():
                self._finish()

        def _add(self, data: bytes) -> None:
            if data:
                self.feed_data(self._passage.feed(data))

        def _finish(self) -> None:
            self.feed_data(self._passage.end())
            if self._passage.is_cut:
                return
            self.feed_eof()
            self._passage.close()

        def read_nowait(self, n: int = -1) -> Any:
            if not self.is_eof():
                self._add(self._inner.read_nowait())
                if self._inner.at_eof() and not self._passage.is_cut:
                    self._finish()
            return super().read_nowait(n)

        async def wait_eof(self) -> None:
            await self._inner.wait_eof()

        def set_exception(self, *args: Any) -> None:
            super().set_exception(*args)
            self._inner.set_exception(*args)
            self._passage.close()

    return Protocol, PacedReader, WatchedReader


def _target(session: Any, str_or_url: Any, params: Any) -> Any:
    """The address with everything that the session adds."""
    url = session._build_url(str_or_url)
    if not params:
        return url
    if hasattr(url, "extend_query"):
        return url.extend_query(params)
    from multidict import MultiDict

    query = MultiDict(url.query)
    query.extend(url.with_query(params).query)
    return url.with_query(query)


def _content(session: Any, options: dict[str, Any]) -> bytes | None:
    """The body as bytes; None for one that is no model's: a form, a stream."""
    data = options.get("data")
    if data is None:
        value = options.get("json")
        if value is None:
            return b""
        serialize = getattr(session, "_json_serialize_bytes", None) or session._json_serialize
        data = serialize(value)
    if isinstance(data, io.BytesIO):
        data = data.getvalue()[data.tell() :]
    elif type(data).__name__ in ("BytesPayload", "StringPayload", "JsonPayload", "JsonBytesPayload"):
        data = data._value
    if isinstance(data, str):
        return data.encode()
    return bytes(data) if isinstance(data, (bytes, bytearray, memoryview)) else None


async def _check_status(session: Any, response: Any, check: Any) -> None:
    """As the session would have done."""
    if check is None:
        check = session._raise_for_status
    if callable(check):
        await check(response)
    elif check:
        response.raise_for_status()


def _reason(status: int) -> str:
    from http.client import responses

    return responses.get(status, "")
