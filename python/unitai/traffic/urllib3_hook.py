"""The hook on urllib3, which requests and botocore use. Written for its releases 1.26 and 2.

It sits at `HTTPConnectionPool.urlopen`. What comes back is always urllib3's own response class over
a body of ours: with a real `http.client` response as body, urllib3 takes the chunks of a stream
apart itself, so a body has to look like one.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from unitai._engine import Reply, claims, decide
from unitai.traffic.patches import Patch, refusing, unsupported
from unitai.traffic.serving import handled, is_handled, pause, why

#: The call whose request is under way here, so that another attempt of it is known for one.
_attempt: ContextVar[_Call | None] = ContextVar("unitai_urllib3_attempt", default=None)

_PORTS = {"http": 80, "https": 443}
#: What follows `headers` where arguments are given by position, as urllib3 does when it tries again.
_POSITIONAL = (
    "retries",
    "redirect",
    "assert_same_host",
    "timeout",
    "pool_timeout",
    "release_conn",
    "chunked",
    "body_pos",
    "preload_content",
    "decode_content",
)


def patches(module: Any) -> list[Patch]:
    """What to replace in this module."""
    pool_class = getattr(module, "HTTPConnectionPool", None)
    if not isinstance(pool_class, type):
        return []
    if hasattr(pool_class, "urlopen"):
        return [Patch(pool_class, "urlopen", _opening(module))]

    def refuse(pool: Any, method: str, url: str, *_: Any, **__: Any) -> None:
        if claims(method.upper(), _absolute(pool, url)):
            raise unsupported(module, "HTTPConnectionPool.urlopen")

    return [Patch(pool_class, "request", refusing(refuse))]


def _opening(module: Any) -> Callable[[Any], Any]:
    parts = _Parts(module)

    def make(original: Any) -> Any:
        def urlopen(
            pool: Any, method: str, url: str, body: Any = None, headers: Any = None, *args: Any, **kw: Any
        ) -> Any:
            target = _absolute(pool, url)
            repeated = _attempt.get()
            if repeated is not None and repeated.is_same(pool, url):
                # urllib3 tries again by calling itself. Each attempt is a request of its own.
                repeated.was_repeated = True
            elif is_handled(target):
                return original(pool, method, url, body, headers, *args, **kw)
            verb = method.upper()
            if not claims(verb, target):
                return original(pool, method, url, body, headers, *args, **kw)
            kw.update(zip(_POSITIONAL, args, strict=False))
            if headers is None:
                headers = pool.headers
            content = _content(body)
            decision = decide(verb, target, _header(headers, "content-encoding"), content, headers)
            call = _Call(parts, pool, method, url, headers, kw)
            if isinstance(decision, Reply):
                return call.answer(decision, content if body is not None else None)
            # A body that could be read only once is sent from memory.
            sent = body if body is None or isinstance(body, (bytes, str)) else content
            if decision is None:
                return original(pool, method, url, sent, headers, **kw)
            token, attempt = handled.set(decision.url or target), _attempt.set(call)
            try:
                return call.watch(original, decision, sent)
            finally:
                handled.reset(token)
                _attempt.reset(attempt)

        return urlopen

    return make


class _Parts:
    """What is needed of the urllib3 in hand."""

    def __init__(self, module: Any) -> None:
        self.response_class: Any = module.HTTPResponse
        self.header_class: Any = module._collections.HTTPHeaderDict
        self.retry_class: Any = module.Retry
        self.timeout_error: Any = module.exceptions.ReadTimeoutError
        self.broken_error: Any = module.exceptions.ProtocolError
        self.retry_error: Any = module.exceptions.MaxRetryError
        self.pool_for: Any = module.connection_from_url
        known = inspect.signature(self.response_class.__init__).parameters
        self.version = {"version": 11, "version_string": "HTTP/1.1"} if "version_string" in known else {"version": 11}


class _Call:
    """One call of `urlopen` that the engine took."""

    def __init__(self, parts: _Parts, pool: Any, method: str, url: str, headers: Any, options: dict[str, Any]) -> None:
        self._parts = parts
        self._pool = pool
        self._method = method
        self._url = url
        self._headers = headers
        self._options = options
        #: Whether urllib3 tried again: then this attempt is over, and the answer is another's.
        self.was_repeated = False

    def is_same(self, pool: Any, url: str) -> bool:
        """Whether another call of `urlopen` is another attempt of this one, or follows where it was sent on."""
        return pool is self._pool or url == self._url

    def answer(self, reply: Any, body: bytes | None) -> Any:
        """The reply as a response, through the same retries that an answer from outside would see."""
        if reply.delay > 0 and not self._wait(reply):
            return self._again(body)
        if reply.breaks:
            self._fail(reply, self._broken(reply))
            return self._again(body)
        reply.release()
        try:
            response = self._response(reply)
        except self._parts.broken_error as error:
            # The body was read at once, and its connection ended too early.
            self._fail(reply, error)
            return self._again(body)
        retries = self._retries()
        if not retries.is_retry(self._method, response.status, bool(response.headers.get("Retry-After"))):
            return response
        try:
            retries = retries.increment(self._method, self._url, response=response, _pool=self._pool)
        except self._parts.retry_error:
            if retries.raise_on_status:
                raise
            return response
        response.drain_conn()
        retries.sleep(response)
        self._options["retries"] = retries
        return self._again(body)

    def watch(self, original: Any, passage: Any, body: Any) -> Any:
        """Sends the request as the passage wants it, and feeds the passage while the client reads."""
        pool, url, headers = self._pool, self._url, self._headers
        target, changed = passage.url, passage.body
        if target is not None:
            pool, url = self._elsewhere(target)
        if changed is not None:
            body = changed
            headers = _without(headers, "content-encoding", "content-length", "transfer-encoding", "host")
            headers["Content-Length"] = str(len(body))
            self._options["chunked"] = False
        elif target is not None:
            headers = _without(headers, "host")
        if passage.wants_identity:
            headers = _without(headers, "accept-encoding")
            headers["Accept-Encoding"] = "identity"
        if passage.delay > 0 and not self._wait(passage):
            return self._again(body)
        preloads = self._options.get("preload_content", True)
        options = {**self._options, "preload_content": False}
        if self._options.get("release_conn"):
            options["release_conn"] = False
        before = len(self._retries().history)
        try:
            response = original(pool, self._method, url, body, headers, **options)
        except BaseException as error:
            passage.broke(why(error))
            raise
        if self.was_repeated:
            _settle(passage, response.retries.history[before])
            return response
        passage.head(
            response.status,
            response.headers.get("content-type", ""),
            response.headers.get("content-encoding", ""),
            response.headers,
        )
        raw = getattr(response, "_fp", None)
        if raw is None:
            # HTTP/2, which urllib3 reads whole: it is too late to change anything.
            passage.feed(bytes(response.data or b""))
            passage.end()
            passage.close()
            return response
        response._fp = _WatchedBody(raw, response, passage)
        if passage.changes_answer:
            # The body may come out shorter than it was sent.
            response.headers.pop("content-length", None)
        if preloads:
            response._body = response.read(decode_content=self._options.get("decode_content", True))
        return response

    def _response(self, reply: Any) -> Any:
        headers = self._parts.header_class()
        for name, value in reply.headers:
            headers.add(name, value)
        body: Any
        content = reply.body
        if content is not None:
            body = _WholeBody(content)
        else:
            body = _PacedBody(reply)
            # Only a chunked body is handed on as it comes.
            headers.pop("content-length", None)
            headers["transfer-encoding"] = "chunked"
        from http.client import responses

        return self._parts.response_class(
            body=body,
            headers=headers,
            status=reply.status,
            reason=responses.get(reply.status),
            preload_content=self._options.get("preload_content", True),
            decode_content=self._options.get("decode_content", True),
            pool=self._pool,
            retries=self._retries(),
            request_method=self._method,
            request_url=self._url,
            **self._parts.version,
        )

    def _retries(self) -> Any:
        retries = self._options.get("retries")
        if isinstance(retries, self._parts.retry_class):
            return retries
        redirect = self._options.get("redirect", True)
        return self._parts.retry_class.from_int(retries, redirect=redirect, default=self._pool.retries)

    def _wait(self, reply: Any) -> bool:
        """Waits for the reply; says whether the client was patient enough."""
        patience = _read_timeout(self._options.get("timeout", self._pool.timeout), self._pool)
        try:
            if patience is None or patience >= reply.delay:
                pause(reply.delay)
                return True
            pause(patience)
        except BaseException as error:
            reply.broke(why(error))
            raise
        self._fail(reply, self._late(patience))
        return False

    def _fail(self, answer: Any, error: Any) -> None:
        """Raises the error, unless the client wants to try again."""
        answer.broke(why(error))
        retries = self._retries().increment(self._method, self._url, error=error, _pool=self._pool)
        retries.sleep()
        self._options["retries"] = retries

    def _late(self, patience: float | None) -> Any:
        return self._parts.timeout_error(self._pool, self._url, f"Read timed out. (read timeout={patience})")

    def _broken(self, reply: Any) -> Any:
        """What the client raises when its connection breaks before an answer comes."""
        if reply.breaks == "timeout":
            return self._late(_read_timeout(self._options.get("timeout", self._pool.timeout), self._pool))
        reset = ConnectionResetError(104, "Connection reset by peer")
        return self._parts.broken_error("Connection aborted.", reset)

    def _again(self, body: bytes | None) -> Any:
        return self._pool.urlopen(self._method, self._url, body, self._headers, **self._options)

    def _elsewhere(self, url: str) -> tuple[Any, str]:
        """The pool for another address, and what to ask it for."""
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        path = parts.path or "/"
        if parts.query:
            path = f"{path}?{parts.query}"
        port = parts.port or _PORTS.get(parts.scheme)
        own = (self._pool.scheme, self._pool.host, self._pool.port or _PORTS.get(self._pool.scheme))
        if (parts.scheme, parts.hostname, port) == own:
            return self._pool, path
        return self._parts.pool_for(url, timeout=self._pool.timeout), path


class _Body:
    """A body that gives its pieces as they come, and looks like the response of `http.client`."""

    def __init__(self) -> None:
        self._left = b""
        self._is_over = False
        self._is_taken_apart = False
        self._is_last_chunk = False
        self._is_cut = False

    def _pull(self, amount: int | None) -> None:
        """Fills what is left, if anything comes. For None: with whatever comes next."""
        raise NotImplementedError

    def _break(self, answer: Any) -> None:
        """The connection ends here, in the middle of the answer."""
        from http.client import IncompleteRead

        self._is_over = True
        error = IncompleteRead(b"")
        answer.broke(why(error))
        raise error

    def close(self) -> None:
        """The client is done with it."""
        self._left = b""
        self._is_over = True

    @property
    def closed(self) -> bool:
        return self._is_over and not self._left

    def isclosed(self) -> bool:
        """As `http.client` has it."""
        return self.closed

    def readable(self) -> bool:
        return True

    def read(self, amount: int | None = None) -> bytes:
        """Reads so much, or all there is."""
        if amount is not None and amount >= 0:
            self._pull(amount)
            return self._take(amount)
        pieces: list[bytes] = []
        while True:
            self._pull(None)
            if not self._left:
                return b"".join(pieces)
            pieces.append(self._take(len(self._left)))

    def read1(self, amount: int = -1) -> bytes:
        """Reads what comes next, up to so much."""
        if amount == 0:
            return b""
        self._pull(None)
        return self._take(len(self._left) if amount < 0 else amount)

    def _take(self, amount: int) -> bytes:
        taken, self._left = self._left[:amount], self._left[amount:]
        return taken

    # What urllib3 uses to take chunks apart: the line with the size, the bytes, the line's end.

    @property
    def fp(self) -> Any:
        return self if self._is_taken_apart or not self.closed else None

    def readline(self, limit: int = -1) -> bytes:
        """The size of the next chunk, and after the last one the end."""
        if self._is_last_chunk:
            self._is_last_chunk = self._is_taken_apart = False
            return b"\r\n"
        self._is_taken_apart = True
        self._pull(None)
        self._is_last_chunk = not self._left
        return b"%x\r\n" % len(self._left)

    def _safe_read(self, amount: int) -> bytes:
        return self._take(amount) if self._left else b"\r\n"


class _WholeBody(io.BytesIO):
    """A body that comes at once. It is closed when it has been read: a client that reads all there is, again and
    again until the end, would find none otherwise.
    """

    def isclosed(self) -> bool:
        """As `http.client` has it."""
        return self.closed or self.tell() == len(self.getbuffer())


class _PacedBody(_Body):
    """The body of a reply that takes its time."""

    def __init__(self, reply: Any) -> None:
        super().__init__()
        self._reply = reply
        self._position = 0

    def _pull(self, amount: int | None) -> None:
        while not self._is_over and len(self._left) < (1 if amount is None else amount):
            reply, position = self._reply, self._position
            if self._is_cut:
                if self._left:
                    return
                self._break(reply)
            if position == reply.count:
                self._is_over = True
                reply.close()
                return
            if wait := reply.pause_before(position):
                pause(wait)
            self._position += 1
            self._left += reply.sent(position)
            self._is_cut = reply.is_cut

    def close(self) -> None:
        super().close()
        self._reply.close()


class _WatchedBody(_Body):
    """The body of an answer from outside."""

    def __init__(self, raw: Any, response: Any, passage: Any) -> None:
        super().__init__()
        self._raw = raw
        self._response = response
        self._passage = passage
        if raw.isclosed():
            self._finish()

    def read(self, amount: int | None = None) -> bytes:
        if amount is not None and amount >= 0:
            return super().read(amount)
        # In one go, since only then `http.client` notices that a body was cut.
        while not self._is_over and not (self._is_cut and self._left):
            self._read_on(self._raw.read)
        return self._take(len(self._left))

    def _pull(self, amount: int | None) -> None:
        while not self._left and not self._is_over and amount != 0:
            self._read_on(self._raw.read1 if amount is None else lambda: self._raw.read(amount))

    def _read_on(self, read: Callable[[], bytes]) -> None:
        if self._is_cut:
            self._break(self._passage)
        if self._passage.pace:
            pause(self._passage.pace)
        try:
            data = read()
        except BaseException as error:
            if partial := getattr(error, "partial", b""):
                self._passage.feed(partial)
            self._passage.broke(why(error))
            raise
        if data:
            self._add(self._passage.feed(data), len(data))
        if self._passage.is_cut:
            self._is_cut = True
            return
        if not data or self._raw.isclosed():
            self._finish()

    def _finish(self) -> None:
        self._is_over = True
        missing = getattr(self._raw, "length", None)
        if missing:
            self._passage.broke(f"IncompleteRead: the answer ended {missing} bytes too early")
        else:
            self._add(self._passage.end(), 0)
        if self._passage.is_cut:
            self._is_over, self._is_cut = False, True
            return
        self._passage.close()

    def _add(self, given: bytes, length: int) -> None:
        self._left += given
        # urllib3 counts what it reads, to notice that a body was cut.
        if self._response.length_remaining is not None:
            self._response.length_remaining += len(given) - length

    def close(self) -> None:
        super().close()
        try:
            self._raw.close()
        finally:
            self._passage.close()

    def fileno(self) -> int:
        return int(self._raw.fileno())


def _absolute(pool: Any, url: str) -> str:
    if "://" in url.partition("?")[0]:
        return url  # As asked of a proxy.
    host = f"[{pool.host}]" if ":" in pool.host else pool.host
    port = "" if pool.port is None or pool.port == _PORTS.get(pool.scheme) else f":{pool.port}"
    return f"{pool.scheme}://{host}{port}{url}"


def _content(body: Any) -> bytes:
    """The body as bytes. One that can be read only once is used up by this."""
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    return b"".join(piece.encode() if isinstance(piece, str) else bytes(piece) for piece in body)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _header(headers: Any, name: str) -> str:
    for key in headers:
        if _text(key).lower() == name:
            return _text(headers[key])
    return ""


def _without(headers: Mapping[Any, Any], *names: str) -> dict[Any, Any]:
    return {key: headers[key] for key in headers if _text(key).lower() not in names}


def _read_timeout(timeout: Any, pool: Any) -> float | None:
    """How long the client waits for an answer, if it says."""
    timeout = getattr(timeout, "read_timeout", timeout)
    if timeout is None:
        return None
    if not isinstance(timeout, (int, float)):
        timeout = getattr(pool.timeout, "read_timeout", None)
    return timeout if isinstance(timeout, (int, float)) else None


def _settle(passage: Any, attempt: Any) -> None:
    """Ends the passage of an attempt that urllib3 has made again, with what it noted of it."""
    if attempt.status is None:
        passage.broke(why(attempt.error))
        return
    passage.head(attempt.status, "", "")
    passage.end()
