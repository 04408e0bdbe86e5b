"""A gateway for agents in other processes and other languages: a server on this machine that stands between
them and their models.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType

from unitai._engine import Budget, GatewayServer, Trajectory, count_elsewhere
from unitai.errors import InvalidArgumentError, MisuseError, UnitAIError, shown
from unitai.traffic.cassette import Recordings, cassette
from unitai.traffic.policy import read_budget, read_prices

__all__ = ["Gateway", "gateway"]


class Gateway:
    """A gateway, open from `with` to the end of the block. Made by `gateway`."""

    def __init__(
        self,
        recordings: Recordings,
        upstreams: Mapping[str, str],
        budget: Budget | None,
        prices: dict[str, dict[str, float]] | None,
        port: int,
    ) -> None:
        self._recordings = recordings
        self._upstreams = list(upstreams.items())
        self._budget = budget
        self._prices = prices
        self._port = port
        self._server: GatewayServer | None = None
        self._process = 0
        self._trajectory: Trajectory | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a process's clients here: `OPENAI_BASE_URL`, `NO_PROXY`, ..."""
        return self._open().environment

    @property
    def base_urls(self) -> dict[str, str]:
        """The address that stands for each provider here, by its name."""
        return self._open().base_urls

    @property
    def trajectory(self) -> Trajectory:
        """What went through the gateway; it is known when the block has ended."""
        if self._trajectory is None:
            raise MisuseError("the trajectory of a gateway is known when its block has ended")
        return self._trajectory

    def _open(self) -> GatewayServer:
        # A forked child may ask: the server of its parent serves it.
        if self._server is None:
            raise MisuseError("the gateway is not open", remedy="use it inside of its `with`")
        return self._server

    def __enter__(self) -> Gateway:
        if self._server is not None:
            raise MisuseError("this gateway is open already")
        tape = self._recordings._begin()
        self._server = GatewayServer(
            tape, self._upstreams, dict(os.environ), budget=self._budget, prices=self._prices, port=self._port
        )
        self._process = os.getpid()
        self._trajectory = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, self._server = self._server, None
        # A forked child has no server to close.
        if server is None or self._process != os.getpid():
            return
        closed = server.close(error)
        if closed is None:
            return
        self._trajectory, verdict = closed
        count_elsewhere(self._trajectory)
        if verdict is None:
            return
        if error is None:
            raise verdict
        # What the test raises says more; but what a client made of a missing recording says less.
        is_ours = isinstance(error, (AssertionError, UnitAIError)) or not isinstance(error, Exception)
        if not is_ours:
            raise verdict from error


def gateway(
    mode: str | None = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    upstreams: Mapping[str, str] | None = None,
    ttl_hours: float | None = None,
    volatile: Iterable[str] | None = None,
    paced: bool = False,
    scope: str | None = None,
    budget: Budget | float | None = None,
    prices: Mapping[str, Mapping[str, float]] | None = None,
    port: int = 0,
) -> Gateway:
    """A server on this machine for agents in other processes and languages: it records what their models answer,
    replays it, and writes down what they did.

    What is not given comes from the environment (`UNITAI_CACHE`, ...) and the project's file, as for `cassette`.
    A request that no recording answers in replay mode is answered with an error, and raised when the block ends.

    Args:
        mode: `"record"`, `"replay"`, `"auto"`, or `"off"`, which asks the providers and records nothing.
        directory: The folder of the recordings.
        upstreams: Where requests go, by name, as in `{"openai": "http://127.0.0.1:8000"}`; for those that are not
            named, where the variables of their clients lead, or else to their providers.
        ttl_hours: How old a recording may be; 0 for any age.
        volatile: What differs each time and means nothing; see `cassette`.
        paced: Replay as slowly as it was recorded.
        scope: Whose recordings they are; the running test's, unless given.
        budget: What may be spent, in dollars. A call that could exceed it is not sent.
        prices: What models cost that the price table does not know, as for `MockToolkit`.
        port: The port; any that is free, unless given.

    >>> import os, subprocess, sys
    >>> from unitai import gateway
    >>> agent = "import os; print(os.environ['OPENAI_BASE_URL'].endswith('/openai/v1'))"
    >>> with gateway("off") as here:
    ...     environment = {**os.environ, **here.environment}
    ...     done = subprocess.run([sys.executable, "-c", agent], env=environment, capture_output=True, text=True)
    >>> done.stdout.strip(), len(here.trajectory.steps)
    ('True', 0)
    """
    named = {} if upstreams is None else dict(upstreams)
    for name, url in named.items():
        if not isinstance(name, str) or not isinstance(url, str):
            raise InvalidArgumentError(f"upstreams are addresses by name, not {shown(name)}: {shown(url)}")
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 2**16:
        raise InvalidArgumentError(f"port must be a number below 65536, or 0 for any that is free, not {shown(port)}")
    limit = None if budget is None else read_budget(budget)
    recordings = cassette(mode, directory, ttl_hours=ttl_hours, volatile=volatile, paced=paced, scope=scope)
    return Gateway(recordings, named, limit, None if prices is None else read_prices(prices), port)
