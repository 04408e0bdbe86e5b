"""What no test can be blamed for: rate limits, broken connections, providers that are down, answers that never came
whole. A run that met it and did not pass has decided nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unitai._engine import AgentRunResult, Finding, lost_answer, status_trouble
from unitai.errors import BrokenExpectationError, JudgeUndecidedError, UnitAIError

__all__ = ["cause_of"]

#: Errors of clients that say nothing but that no answer came, by the package that they come from.
_LOST = {
    "aiohttp": {"ClientConnectionError", "ClientPayloadError"},
    "anthropic": {"APIConnectionError"},
    "botocore": {"ConnectionError", "EndpointConnectionError", "HTTPClientError", "ReadTimeoutError"},
    "google": {"RetryError", "ServiceUnavailable", "TransportError"},
    "httpcore": {"NetworkError", "ProtocolError", "TimeoutException"},
    "httpx": {"TransportError"},
    "httpx2": {"TransportError"},
    "litellm": {"APIConnectionError", "Timeout"},
    "openai": {"APIConnectionError"},
    "requests": {"ConnectionError", "Timeout", "ChunkedEncodingError"},
    "socket": {"gaierror"},
    "urllib": {"URLError"},
    "urllib3": {"HTTPError"},
}


def cause_of(error: BaseException, results: Sequence[AgentRunResult], finding: Finding | None = None) -> str | None:
    """What was not as needed, in words for the report; `None` if the run failed by itself.

    Only the run that the broken expectation is about counts or, where nobody knows, the last one: what another one met
    is no excuse, for a test may ask an agent again, or expect that it fails.
    """
    if isinstance(error, JudgeUndecidedError):
        return error.message.partition("\n")[0]
    if finding is None:
        results = results[-1:]
    else:
        results = [result for result in results if result.trajectory == finding.trajectory]
    errors = [error, *(result.error for result in results if result.error is not None)]
    chains = [list(_chain(each)) for each in errors]
    # What UnitAI itself refused had no answer either: a request that no script expects, money, a time limit.
    if any(_is_refusal(link) for chain in chains for link in chain):
        return None
    # What a mock or an injected fault raised was meant to happen.
    staged = {id(step.tool_error) for result in results for step in result.trajectory.steps if step.tool_error}
    for chain in chains:
        for link in chain:
            if id(link) in staged:
                break
            cause = _cause(link)
            if cause is not None and not _is_injected(results):
                return cause
    for result in results:
        lost = lost_answer(result.trajectory)
        if lost is not None:
            return lost
    return None


def _is_refusal(error: BaseException) -> bool:
    # A check that does not hold says nothing about why.
    return isinstance(error, UnitAIError) and not isinstance(error, BrokenExpectationError)


def _is_injected(results: Sequence[AgentRunResult]) -> bool:
    """Whether the last model call of a run met a fault that the test asked for."""
    last = [[step for step in result.trajectory.steps if step.step_type == "llm_call"][-1:] for result in results]
    return any(steps and steps[0].fault is not None for steps in last)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        # An assertion that was written where an error is handled is about that, and not because of it.
        is_silent = link.__suppress_context__ or isinstance(link, AssertionError)
        link = link.__cause__ or (None if is_silent else link.__context__)


def _cause(error: BaseException) -> str | None:
    status = _status(error)
    if status is not None:
        return status_trouble(status)
    is_lost = isinstance(error, ConnectionError) or any(_is_lost(kind) for kind in type(error).__mro__)
    if is_lost or (isinstance(error, TimeoutError) and _is_of_the_network(error)):
        return f"no answer came: {type(error).__name__}"
    return None


def _is_of_the_network(error: TimeoutError) -> bool:
    """Whether a connection ran out of time, and not the patience of the test or the agent."""
    trace, module = error.__traceback__, ""
    while trace is not None:
        module, trace = trace.tb_frame.f_globals.get("__name__", ""), trace.tb_next
    return module.partition(".")[0] in ("socket", "ssl", "http", "urllib")


def _is_lost(kind: type) -> bool:
    return kind.__name__ in _LOST.get(kind.__module__.partition(".")[0], ())


def _status(error: BaseException) -> int | None:
    """The HTTP status that a client's error tells of; each client spells it in its own way."""
    if isinstance(error, SystemExit):
        return None  # Its code is no status.
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "http_status", "code"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
                return status
    metadata = getattr(error, "response", None)
    if isinstance(metadata, dict):
        status = metadata.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return status if isinstance(status, int) else None
    return None
