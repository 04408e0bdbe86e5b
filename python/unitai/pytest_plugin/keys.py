"""Tests that need the key of a provider are skipped where it is not set."""

from __future__ import annotations

import os
from typing import Any

import pytest

from unitai._engine import cache_settings, is_key, key_variables
from unitai.config import current_config
from unitai.errors import InvalidArgumentError, shown

MARKER = "unitai_skip_if_no_api_key"


class Keys:
    """Skips marked tests without their keys. Registered when there is one."""

    def __init__(self, config: pytest.Config) -> None:
        self._model = current_config().model_override
        self._is_replayed = is_replayed(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Looks when the test is about to begin: a fixture of the session may have read the keys from a file."""
        for marker in item.iter_markers(MARKER):
            keys = needed(marker, self._model, item.nodeid)
            lacking = missing(keys)
            if lacking and not self._is_replayed:
                reason = f"{lacking} not set: the test needs a provider to answer"
                # Said of the place of the test, and not of this line.
                raise pytest.skip.Exception(reason, _use_item_location=True)


def missing(keys: list[list[str]]) -> str:
    """The keys that are not set, in words; each is given by the variables of which one is enough."""
    return " and ".join(
        " or ".join(names) for names in keys if not any(is_key(os.environ.get(name, "")) for name in names)
    )


def is_replayed(config: pytest.Config) -> bool:
    """Whether every test is answered by recordings: they need no key, and neither do those who replay them."""
    return bool(cache_settings(config.rootpath, config.getoption("unitai_cache", None))["mode"] == "replay")


def needed(marker: pytest.Mark, override: str | None, place: str) -> list[list[str]]:
    """The keys that a marker asks for, each with the variables that may hold it."""
    try:
        return _needed(override, *marker.args, **marker.kwargs)
    except (TypeError, ValueError):
        given = [*map(shown, marker.args), *(f"{name}={shown(value)}" for name, value in marker.kwargs.items())]
        raise InvalidArgumentError(
            f"the marker {MARKER} of {place} names no key",
            expected=f'{MARKER}, or {MARKER}(env_var="MISTRAL_API_KEY"), or {MARKER}(model="claude-sonnet-4-5")',
            found=f"{MARKER}({', '.join(given)})",
        ) from None


def _needed(override: str | None, env_var: Any = None, *, model: str | None = None) -> list[list[str]]:
    if env_var is not None:
        names = [env_var] if isinstance(env_var, str) else list(env_var)
        if not names or not all(isinstance(name, str) and name and "=" not in name for name in names):
            raise ValueError
        return [[name] for name in names]
    if model is not None and not isinstance(model, str):
        raise TypeError
    return [key_variables(override or model or "") or ["OPENAI_API_KEY"]]
