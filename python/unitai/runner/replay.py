"""`ReplayCache`: the folder of recordings as a handle, to look into it and to keep things of your own there."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from unitai._engine import ReplayCache as Engine
from unitai._engine import clean
from unitai.errors import InvalidArgumentError, shown

__all__ = ["CacheStats", "CachedResponse", "ReplayCache"]


class CachedResponse(NamedTuple):
    """An answer that was kept."""

    #: The answer: a JSON value, or the text of a stream.
    response: Any
    #: The model, where it is known.
    model: str | None
    #: Tokens of the prompt, where they are known.
    prompt_tokens: int | None
    #: Tokens of the answer, where they are known.
    completion_tokens: int | None
    #: When it was kept, in seconds since the epoch.
    timestamp: float
    #: What its key was made of.
    inputs: Any


class CacheStats(NamedTuple):
    """What is in a folder of recordings, and what came of it."""

    entries: int
    size_bytes: int
    #: Files that were set aside because they were damaged.
    quarantined: int
    hits: int
    misses: int
    recorded: int
    #: Dollars that the replayed calls cost when they were recorded.
    saved: float

    @property
    def hit_rate(self) -> float | None:
        """The share of requests that a recording answered; `None` when there were none."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


class ReplayCache:
    """A folder of recordings.

    >>> import tempfile
    >>> from unitai import ReplayCache
    >>> cache = ReplayCache(tempfile.mkdtemp())
    >>> cache.put("greeting", {"text": "Hello"})
    >>> cache.get("greeting").response
    {'text': 'Hello'}
    >>> cache.stats().entries
    1
    """

    def __init__(self, directory: str | os.PathLike[str] = ".unitai/cache", ttl_hours: float = 168) -> None:
        """
        Args:
            directory: The folder. It is made when something is put there.
            ttl_hours: How old an answer may be; 0 for any age.
        """
        if isinstance(ttl_hours, bool) or not isinstance(ttl_hours, (int, float)):
            raise InvalidArgumentError(f"ttl_hours must be a number of hours, or 0 for ever, not {shown(ttl_hours)}")
        if not isinstance(directory, (str, os.PathLike)):
            raise InvalidArgumentError(f"directory must be the path of a folder, not {shown(directory)}")
        self._engine = Engine(os.fspath(directory), float(ttl_hours))

    @property
    def directory(self) -> str:
        """The folder."""
        return os.fspath(self._engine.directory)

    def get(self, cache_key: str) -> CachedResponse | None:
        """What is kept under a key; `None` when there is nothing, or it is too old."""
        found = self._engine.read(cache_key)
        if found is None:
            return None
        inputs = json.loads(found["inputs"])
        usage = json.loads(found["usage"]) if found["usage"] else {}
        return CachedResponse(
            response=_value(found["body"]),
            model=inputs.get("model") or (inputs.get("inputs") or {}).get("model"),
            prompt_tokens=_first(usage, "prompt_tokens", "input_tokens", "promptTokenCount"),
            completion_tokens=_first(usage, "completion_tokens", "output_tokens", "candidatesTokenCount"),
            timestamp=found["recorded_at"],
            inputs=inputs.get("inputs", inputs),
        )

    def put(
        self,
        cache_key: str,
        response: Any,
        *,
        model: str | None = None,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> None:
        """Keeps an answer, a JSON value, under a key: letters, digits, `-` and `_`. Secrets are taken out first.

        Args:
            cache_key: The key, as a rule the digest of what was asked.
            response: The answer.
            model: The model that gave it.
            prompt_tokens: Tokens of the prompt.
            completion_tokens: Tokens of the answer.
            inputs: What the key was made of, for whoever reads the file.
        """
        if inputs is not None and not isinstance(inputs, dict):
            raise InvalidArgumentError(f"inputs must be a dictionary, not {shown(inputs)}")
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
        said = {name: count for name, count in usage.items() if count is not None}
        known = {**(inputs or {}), **({"model": model} if model else {})}
        if isinstance(response, CachedResponse):
            response = response.response
        self._engine.write(cache_key, _text(response), _text(said or None), _text(known))

    def clear(self) -> int:
        """Deletes everything. Gives how many answers went."""
        return self._engine.clear()

    def prune(self) -> int:
        """Deletes what is too old, and what a killed process left behind. Gives how many answers went."""
        return self._engine.prune()

    def stats(self) -> CacheStats:
        """What is in the folder, and what all sessions together found in it."""
        return CacheStats(*self._engine.counts())

    def __repr__(self) -> str:
        return clean(f"<ReplayCache {self.directory}>")


def _value(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body


def _text(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"only JSON values can be kept, not {shown(value)}") from None


def _first(usage: dict[str, Any], *names: str) -> int | None:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), None)
