"""Tests that are marked get what they ask for: the fixture, the budget, the repetition, or a reason to be skipped."""

from __future__ import annotations

import re

import pytest

from unitai.errors import InvalidArgumentError
from unitai.pytest_plugin import LAYERS
from unitai.pytest_plugin.starting import BUDGETS


class Misspelt:
    """Fails tests whose marker nobody knows: who asks for repetitions must not get a single run instead."""

    def __init__(self, known: set[str]) -> None:
        self._known = known

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Looks when the test is about to begin, so that every process tells it in the same way."""
        for mark in item.iter_markers():
            if mark.name.startswith("unitai_") and mark.name not in self._known:
                ours = sorted(name for name in self._known if name.startswith("unitai_"))
                raise InvalidArgumentError(
                    f"the marker {mark.name} of {item.nodeid} is not known",
                    expected=f"one of: {', '.join(ours)}",
                    remedy="spell the marker as one of these, or declare your own among pytest's `markers`",
                )


def provide(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Provides for tests of which each has a marker of ours, or is of a layer."""
    found: set[str] = set()
    for item in items:
        names = {mark.name for mark in item.iter_markers()}
        found |= names
        fixtures = getattr(item, "fixturenames", None)
        if fixtures is not None and "unitai_cassette" in names and "cassette" not in fixtures:
            # First, so that the fixtures of the test are covered, too.
            fixtures.insert(0, "cassette")
    manager = config.pluginmanager
    known = {re.split(r"[\s(:]", line, maxsplit=1)[0] for line in config.getini("markers")}
    if not known.issuperset(name for name in found if name.startswith("unitai_")):
        manager.register(Misspelt(known))
    if "unitai_budget" in found and not manager.has_plugin(BUDGETS):
        from unitai.pytest_plugin.budgets import Budgets

        manager.register(Budgets(), BUDGETS)
    if "unitai_statistical" in found and not manager.has_plugin("unitai-trials"):
        from unitai.pytest_plugin.trials import Trials

        manager.register(Trials(config), "unitai-trials")
    if not found.isdisjoint(LAYERS) and not manager.has_plugin("unitai-layered"):
        from unitai.pytest_plugin.layers import Layered, sum_up

        manager.register(Layered(config), "unitai-layered")
        sum_up(config)
    if "unitai_skip_if_no_api_key" in found and not manager.has_plugin("unitai-keys"):
        from unitai.pytest_plugin.keys import Keys

        manager.register(Keys(config), "unitai-keys")
