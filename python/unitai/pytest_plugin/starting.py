"""What a session of pytest begins with where somebody asks for something: settings, budgets, baselines, recordings,
reports. Most sessions never load it.
"""

from __future__ import annotations

import os

import pytest

from unitai import pytest_plugin

__all__ = ["BUDGETS", "give_variables", "start"]

#: The name under which the budgets are known, where there are any.
BUDGETS = "unitai_budgets"


def give_variables(config: pytest.Config) -> None:
    """Puts what the project's file of variables says into the environment, where that has nothing of the name."""
    from unitai._engine import env_file_variables
    from unitai.errors import UnitAIError, explained

    try:
        said = env_file_variables(config.rootpath)
    except UnitAIError as error:
        raise pytest.UsageError(explained(error)) from None
    given = {name: value for name, value in said if name not in os.environ}
    os.environ.update(given)
    config.add_cleanup(lambda: _take_back(given))


def _take_back(given: dict[str, str]) -> None:
    for name, value in given.items():
        if os.environ.get(name) == value:
            del os.environ[name]


def start(config: pytest.Config, speaks: bool) -> None:
    """Begins it. `speaks` says whether the environment or a project's file may say something."""
    is_limited = config.getoption("unitai_budget", None) is not None
    if speaks or is_limited or "unitai_ledger" in getattr(config, "workerinput", ()):
        from unitai.pytest_plugin.budgets import open_budgets

        budgets = open_budgets(config)
        if budgets is not None:
            config.pluginmanager.register(budgets, BUDGETS)
    if any(config.getoption(name, None) is not None for name in ("unitai_baseline", "unitai_save_baseline")):
        from unitai.pytest_plugin import baselines

        baselines.register(config)
    mode = _cache_mode(config, speaks)
    if mode and mode != "off":
        from unitai.pytest_plugin.voices import EveryTest

        config.pluginmanager.register(EveryTest(mode))
    if speaks or pytest_plugin.options:
        from unitai._engine import limits_live_models, renew_settings
        from unitai.errors import UnitAIError, explained

        try:
            renew_settings()
        except UnitAIError as error:
            raise pytest.UsageError(explained(error)) from None
        if limits_live_models():
            from unitai.pytest_plugin.live import LiveModels

            config.pluginmanager.register(LiveModels(), "unitai-live")
    if config.getoption("unitai", False):
        from unitai.pytest_plugin.live import CallsOutsideRuns
        from unitai.pytest_plugin.session import begin

        config.pluginmanager.register(CallsOutsideRuns(), "unitai-calls-outside-runs")
        begin(config, mode)


def _cache_mode(config: pytest.Config, speaks: bool) -> str | None:
    """Where every test's answers come from, if anybody says. The engine is asked only where somebody may."""
    mode: str | None = config.getoption("unitai_cache", None)
    if not mode and not speaks:
        return None
    from unitai._engine import cache_settings
    from unitai.errors import UnitAIError, explained

    try:
        settings = cache_settings(config.rootpath, mode)
    except UnitAIError as error:
        raise pytest.UsageError(f"--unitai-cache: {explained(error)}" if mode else explained(error)) from None
    settled: str | None = settings["mode"]
    if settled in ("record", "auto") and os.path.isfile(settings["directory"]):
        # Before anything is asked, paid for, and lost.
        raise pytest.UsageError(
            f"nothing can be recorded: {settings['directory']} is a file, where a folder should be\n"
            "  to do:    move it, or name another folder in the setting `cache_directory`"
        )
    return settled
