"""Recordings that speak for the model: recorded once from the provider, replayed ever after."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple

from unitai._engine import Cassette, cache_settings, project_folder
from unitai.errors import InvalidArgumentError, RecordingWarning, shown
from unitai.traffic.voice import Voice

__all__ = ["Recordings", "cassette", "is_ci", "standing", "written"]

#: What all cassettes of this process did together: requests replayed, answers recorded, and redacted ones among these.
totals = [0, 0, 0]


class _Counts(NamedTuple):
    replayed: int
    missed: int
    recorded: int
    redacted: int


class Recordings(Voice[Cassette]):
    """A cassette in use. Made by `cassette`; works as a context manager and as a decorator."""

    _name = "a cassette"

    def __init__(self, mode: str, options: dict[str, Any]) -> None:
        super().__init__()
        self._mode = mode
        self._options = options

    @property
    def mode(self) -> str:
        """Where answers come from: `auto`, `record`, `replay` or `off`."""
        return self._mode

    @property
    def directory(self) -> str:
        """The folder of the recordings."""
        return str(self._options["directory"])

    @property
    def replayed(self) -> int:
        """Requests that recordings answered."""
        return self._counts().replayed

    @property
    def recorded(self) -> int:
        """Answers that were recorded."""
        return self._counts().recorded

    @property
    def redacted(self) -> int:
        """Answers that were recorded, and that secrets were taken out of."""
        return self._counts().redacted

    def complete(self, test: str) -> bool:
        """The test of this id came to its end: what it recorded in earlier sessions and not in this one is of no use to
        it any more, unless it uses recordings in another way, too. Says whether it used none at all.
        """
        return self._engine is not None and self._engine.complete(written(test))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._depth == 1:
            totals[0] += self.replayed
            totals[1] += self.recorded
            totals[2] += self.redacted
        super().__exit__(kind, error, trace)

    def judge(self, error: BaseException | None) -> None:
        """Raises what is wrong so far, and warns of what is not, but should be known."""
        if self._engine is not None:
            for note in self._engine.notes():
                warnings.warn(note, RecordingWarning, stacklevel=2)
        super().judge(error)

    def _counts(self) -> _Counts:
        return _Counts(0, 0, 0, 0) if self._engine is None else _Counts(*self._engine.counts)

    def _begin(self) -> Cassette | None:
        if self._mode == "off":
            return None
        options = self._options
        scope = options["scope"]
        if scope is None:
            # pytest says which test runs, in words such as "tests/test_a.py::test_b (call)".
            scope = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        scope = written(scope)
        of_test = "PYTEST_CURRENT_TEST" in os.environ
        return Cassette(**{**options, "mode": self._mode, "scope": scope, "of_test": of_test})

    def _guarded(self, engine: Cassette) -> bool:
        return self._mode == "replay" or bool(self._options["block_network"])


def cassette(
    mode: str | None = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    ttl_hours: float | None = None,
    volatile: Iterable[str] | None = None,
    apis: Iterable[str] | None = None,
    paced: bool = False,
    scope: str | None = None,
    block_network: bool = False,
) -> Recordings:
    """Records what the model answers, and replays it: for any SDK, streamed or not, the very same bytes.

    What is not given comes from the environment (`UNITAI_CACHE`, ...) and the project's file.

    Args:
        mode: `"record"` asks the provider and records; `"replay"` answers from recordings alone; `"auto"`
            replays what is there and records the rest; `"off"` does nothing. Unless somebody says otherwise it is
            `"auto"`, and `"replay"` where `CI` is set.
        directory: The folder, `.unitai/cache` unless given.
        ttl_hours: How old a recording may be; 0 for any age. 168 unless given.
        volatile: What differs each time and means nothing: `"uuid"`, `"time"`, `"temp_path"`, or the path of a
            field, as in `"metadata.request_id"`.
        apis: Beginnings of other addresses to record, as in `"https://api.weather.com/"`.
        paced: Replay as slowly as it was recorded.
        scope: Whose recordings they are; the running test's, unless given.
        block_network: Refuse every other connection to the outside, too.

    >>> import tempfile
    >>> from unitai import CacheMissError, cassette
    >>> with cassette("replay", tempfile.mkdtemp()) as tape:
    ...     tape.replayed
    0
    """
    if mode is not None and not isinstance(mode, str):
        raise InvalidArgumentError(f"mode must be a text, not {shown(mode)}")
    settings = cache_settings(project_folder(), mode)
    chosen = settings["mode"] or ("replay" if is_ci() else "auto")
    if scope is not None and not isinstance(scope, str):
        raise InvalidArgumentError(f"scope must be a text, not {shown(scope)}")
    options = {
        "directory": settings["directory"] if directory is None else _path(directory),
        "ttl_hours": float(settings["ttl_hours"] if ttl_hours is None else _hours(ttl_hours)),
        "volatile": _texts("volatile", settings["volatile"] if volatile is None else volatile),
        "apis": _addresses(settings["apis"] if apis is None else apis),
        "paced": bool(paced),
        "scope": scope,
        "block_network": bool(block_network),
    }
    return Recordings(chosen, options)


def standing() -> Cassette | None:
    """The recordings of runs for which nobody opened any, where the environment or the project's file asks for
    them. In pytest the plugin opens them, for each test its own.
    """
    # Asked at every run, and hardly anybody asks for recordings.
    if _standing_mode() in (None, "off") or "PYTEST_CURRENT_TEST" in os.environ:
        return None
    return _stand()


@cache
def _standing_mode() -> str | None:
    """Read once: what a process was started with holds to its end."""
    mode: str | None = cache_settings(project_folder())["mode"]
    return mode


@cache
def _stand() -> Cassette | None:
    recordings = cassette(_standing_mode(), scope="")
    engine = recordings._begin()
    if engine is not None:
        import atexit

        # The folder learns what was counted.
        atexit.register(engine.verdict)
        if recordings._guarded(engine):
            from unitai.traffic.sockets import guard_sockets

            guard_sockets()
    return engine


def written(scope: str) -> str:
    """A scope as a file can hold it: a test's id may hold half of a character, or bytes that are none."""
    return scope.encode("utf-8", "backslashreplace").decode()


def is_ci() -> bool:
    """Whether this is a machine where nobody looks on."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _path(directory: Any) -> str:
    if not isinstance(directory, (str, os.PathLike)):
        raise InvalidArgumentError(f"directory must be the path of a folder, not {shown(directory)}")
    return os.fspath(directory)


def _addresses(apis: Iterable[str]) -> list[str]:
    found = _texts("apis", apis)
    for address in found:
        if not address.startswith(("http://", "https://")) or not address.partition("://")[2]:
            raise InvalidArgumentError(
                f"apis takes the beginnings of addresses, not {shown(address)}",
                remedy='write them with their scheme, as in apis=["https://api.example.com/"]',
            )
    return found


def _hours(hours: float) -> float:
    if isinstance(hours, bool) or not isinstance(hours, (int, float)):
        raise InvalidArgumentError(f"ttl_hours must be a number of hours, or 0 for ever, not {shown(hours)}")
    return hours


def _texts(name: str, texts: Iterable[str]) -> list[str]:
    found = [texts] if isinstance(texts, str) else list(texts)
    for text in found:
        if not isinstance(text, str):
            raise InvalidArgumentError(f"{name} takes texts, not {shown(text)}")
    return found
