"""The settings of a project, each with its source.

They are found in this order: an explicit argument, the command line, the environment (`UNITAI_...`), `[tool.unitai]` in
`pyproject.toml` or else `unitai.toml`, and the default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from unitai._engine import default_settings, load_settings, project_folder, standing_settings
from unitai.errors import InvalidArgumentError, shown

__all__ = ["Source", "UnitAIConfig", "current_config", "load_config"]


#: The project's file, and each setting with its name, its value, and its source in two words.
_Table = tuple[str | os.PathLike[str] | None, list[tuple[str, Any, str, str | None]]]


class Source(NamedTuple):
    """Who has said what a setting is."""

    kind: Literal["argument", "command line", "environment", "file", "default"]
    #: The option, the variable, or the place in the file, as `/path/pyproject.toml:3:1`.
    detail: str | None = None

    def __str__(self) -> str:
        return self.detail or self.kind


@dataclass(frozen=True, init=False)
class UnitAIConfig:
    """Every setting of a project. `UnitAIConfig.load()` reads them; `UnitAIConfig(...)` has defaults for the rest.

    >>> import tempfile
    >>> from unitai import UnitAIConfig
    >>> UnitAIConfig(default_threshold=0.8).default_n
    10
    >>> config = UnitAIConfig.load(tempfile.mkdtemp(), default_n=20)
    >>> config.default_n, str(config.source("default_n"))
    (20, 'argument')
    >>> config.strict_mocks
    True
    """

    #: The adapter that runs agents where `run` is given none; `None` finds it by looking at the agent.
    adapter: str | None
    #: How often tests are repeated that do not say it themselves.
    default_n: int
    #: The share of the runs that must pass, for tests that do not say it themselves.
    default_threshold: float
    #: When repeated tests stop that do not say it themselves.
    default_mode: Literal["all", "early", "sequential"]
    #: How many runs of a repeated test are under way at a time.
    max_workers: int
    #: What the model calls of one test may cost, in US dollars; `None` for no limit.
    cost_budget_per_test: float | None
    #: What the model calls of all tests may cost together, in US dollars; `None` for no limit.
    cost_budget_per_suite: float | None
    #: What all runs of one repeated test may cost together, in US dollars.
    cost_budget_per_repeated_test: float
    #: The model that agents use instead of their own.
    model_override: str | None
    #: Which tests may call models live: any (`"allow"`), those that are marked `unitai_live` or repeated
    #: (`"marked"`), or none (`"never"`).
    live_models: Literal["allow", "marked", "never"]
    #: Whether calling a tool that is not mocked is an error.
    strict_mocks: bool
    #: How often one tool may be called in one run.
    max_tool_calls: int
    #: Seconds that one run may take.
    timeout: float
    #: Seconds that one test may take before `unitai test` kills the process that runs it; `None` for no limit.
    hard_timeout: float | None
    #: Whether recordings answer for the models.
    cache_enabled: bool
    #: Where answers of models come from; `None` leaves it to `cache_enabled`.
    cache_mode: Literal["off", "record", "replay", "auto"] | None
    #: The folder of the recordings.
    cache_directory: Path
    #: How many hours a recording may be replayed; 0 for ever.
    cache_ttl_hours: float
    #: What differs each time and means nothing.
    cache_volatile: tuple[str, ...]
    #: The beginnings of other addresses that are recorded.
    cache_apis: tuple[str, ...]
    #: The folder of the baselines of repeated tests.
    baseline_directory: Path
    #: Who judges YAML tests; `"auto"` is the first one that is usable here.
    judge_provider: Literal["auto", "claude-code", "codex", "gemini-cli", "anthropic", "openai", "command", "none"]
    #: The model that judges; `None` leaves it to the provider.
    judge_model: str | None
    #: The program that judges and its arguments, for the provider `command`.
    judge_command: tuple[str, ...]
    #: Who is asked when the first judge is split or does not know.
    judge_second_provider: (
        Literal["claude-code", "codex", "gemini-cli", "anthropic", "openai", "command", "none"] | None
    )
    #: The model of the second judge.
    judge_second_model: str | None
    #: How often each question is asked.
    judge_repeats: int
    #: Where answers of the judge come from.
    judge_answers: Literal["auto", "cached", "live", "off"]
    #: Whether the judge is first asked what is plain.
    judge_canaries: bool
    #: Regular expressions of what changes in evidence and does not matter.
    judge_mask: tuple[str, ...]
    #: Seconds that one question to the judge may take.
    judge_timeout: float
    #: How often the judge must say yes where people do; `None` requires nothing, here and below.
    judge_min_tpr: float | None
    #: How often the judge must say no where people do.
    judge_min_tnr: float | None
    #: How far the judge must agree with people beyond chance.
    judge_min_kappa: float | None
    #: The variables without which integration and behavioral tests are skipped; of those with `|` between, one is
    #: enough.
    layers_keys: tuple[str, ...]
    #: The same for integration tests; `None` leaves it to `layers_keys`.
    layers_integration_keys: tuple[str, ...] | None
    #: The same for behavioral tests; `None` leaves it to `layers_keys`.
    layers_behavioral_keys: tuple[str, ...] | None
    #: The file of variables that every test is given, where the environment does not have them.
    layers_env_file: Path
    #: Seconds that a unit test may take before a warning tells it.
    layers_unit_seconds: float
    #: The rules of `unitai lint` that look at tests; none for all of them.
    lint_select: tuple[str, ...]
    #: The rules of `unitai lint` that are off.
    lint_ignore: tuple[str, ...]
    #: How much single rules weigh: `"error"`, `"warning"` or `"off"`.
    lint_rules: Mapping[str, str]
    #: Rules that are off for the files of a pattern.
    lint_per_folder: Mapping[str, tuple[str, ...]]
    #: Patterns of files that `unitai lint` does not look at.
    lint_exclude: tuple[str, ...]
    #: The JUnit file that `unitai test` writes.
    junit_xml: Path
    #: Whether `unitai test` tells more.
    verbose: bool
    #: What models cost, by their names: US dollars for a million tokens.
    prices: Mapping[str, Mapping[str, float]]
    #: The project's file, if there is one.
    path: Path | None = field(init=False, compare=False)
    _sources: Mapping[str, Source] = field(init=False, repr=False, compare=False)

    def __init__(self, **given: Any) -> None:
        self._set(default_settings(project_folder(), given))

    @classmethod
    def load(cls, folder: str | os.PathLike[str] | None = None, **given: Any) -> UnitAIConfig:
        """The settings as they are now.

        Args:
            folder: Whose project it is; the one that pytest works in or the process began in, unless given.
            given: Settings that come before all others, by their names.

        Raises:
            ConfigError: Something is wrong with the file, a variable or a setting that was given.
        """
        if folder is not None and not isinstance(folder, (str, os.PathLike)):
            raise InvalidArgumentError(f"folder must be a path, not {shown(folder)}")
        return cls._of(load_settings(project_folder() if folder is None else os.path.abspath(folder), given))

    @classmethod
    def _of(cls, table: _Table) -> UnitAIConfig:
        config = cls.__new__(cls)
        config._set(table)
        return config

    def _set(self, table: _Table) -> None:
        path, rows = table
        attributes: dict[str, Any] = {name: value for name, value, _, _ in rows}
        attributes["path"] = None if path is None else Path(path)
        attributes["_sources"] = {name: Source(cast(Any, kind), detail) for name, _, kind, detail in rows}
        # A frozen class refuses to be assigned to.
        self.__dict__.update(attributes)

    def source(self, name: str) -> Source:
        """Who has said what a setting is.

        Args:
            name: The setting, as in `"default_n"`.
        """
        if name not in self._sources:
            raise InvalidArgumentError(
                f"there is no setting {shown(name)}", expected=f"one of: {', '.join(self._sources)}"
            )
        return self._sources[name]


def load_config(folder: str | os.PathLike[str] | None = None) -> UnitAIConfig:
    """The settings as they are now: `UnitAIConfig.load`."""
    return UnitAIConfig.load(folder)


def current_config() -> UnitAIConfig:
    """The settings that stand for this process, which toolkits and runs obey: resolved when pytest began, or by the
    first one who asked.
    """
    return UnitAIConfig._of(standing_settings())
