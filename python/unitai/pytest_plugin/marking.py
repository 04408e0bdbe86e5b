"""Tests that are marked get what they ask for: the fixture, the budget, the repetition, or a reason to be skipped."""

from __future__ import annotations

import pytest

from unitai.pytest_plugin import BUDGETS


def provide(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Provides for tests of which each has a marker of ours."""
    found: set[str] = set()
    for item in items:
        names = {mark.name for mark in item.iter_markers()}
        found |= names
        fixtures = getattr(item, "fixturenames", None)
        if fixtures is not None and "unitai_cassette" in names and "cassette" not in fixtures:
            # First, so that the fixtures of the test are covered, too.
            fixtures.insert(0, "cassette")
    manager = config.pluginmanager
    if "unitai_budget" in found and not manager.has_plugin(BUDGETS):
        from unitai.pytest_plugin.budgets import Budgets

        manager.register(Budgets(), BUDGETS)
    if "unitai_statistical" in found and not manager.has_plugin("unitai-trials"):
        from unitai.pytest_plugin.trials import Trials

        manager.register(Trials(config), "unitai-trials")
    if "unitai_skip_if_no_api_key" in found and not manager.has_plugin("unitai-keys"):
        from unitai.pytest_plugin.keys import Keys

        manager.register(Keys(), "unitai-keys")
