"""The layers of tests: set by folder, chosen by `--layer`, skipped where keys are missing, and summed up at the end.
Loaded where a test is of a layer, or somebody asks for some.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from unitai._engine import layer_lines, layer_of, layer_settings
from unitai.errors import LayerWarning
from unitai.pytest_plugin import LAYERS
from unitai.pytest_plugin.keys import MARKER, is_replayed, missing
from unitai.pytest_plugin.outcomes import outcome_of

#: The attribute of a report that holds the layer of its test: it crosses from process to process.
ATTRIBUTE = "unitai_layer"

#: Fixtures that keep a test from asking a provider, or see to it that nobody has to.
_NO_KEY_NEEDED = {"scripted_model", "cassette", "block_network"}


def start(config: pytest.Config) -> None:
    """Begins where pytest-xdist runs the tests, or somebody asks for layers."""
    _wanted(config)
    if config.getoption("dist", "no") != "no":
        # Its processes run the tests, and this one has the last word.
        sum_up(config)


def sum_up(config: pytest.Config) -> None:
    """Tells at the end what each layer came to. With `--unitai` the block of the results does."""
    manager = config.pluginmanager
    is_told = config.getoption("unitai", False) or hasattr(config, "workerinput")
    if not is_told and not manager.has_plugin("unitai-by-layer"):
        manager.register(ByLayer(), "unitai-by-layer")


def _wanted(config: pytest.Config) -> set[str] | None:
    """The layers that somebody asks for."""
    asked: list[str] | None = config.getoption("unitai_layer", None)
    if asked is None:
        return None
    wanted = {word.strip() for each in asked for word in each.split(",")}
    unknown = sorted(wanted - LAYERS.keys())
    if unknown:
        raise pytest.UsageError(
            f"--layer: there is no layer {', '.join(map(repr, unknown))}\n  expected: {', '.join(LAYERS)}\n"
            "  to do:    name layers with commas between them; other markers are chosen with -m"
        )
    return wanted


def of_item(item: pytest.Item) -> str | None:
    """The layer of a test: what is said nearest to it counts."""
    return next((mark.name for mark in item.iter_markers() if mark.name in LAYERS), None)


def mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests by their folders. What is marked by hand stays as it is."""
    folders: dict[Path, str | None] = {}
    began = config.invocation_params.dir
    for item in items:
        folder = item.path.parent
        if folder not in folders:
            folders[folder] = layer_of(folder, config.rootpath, began)
        layer = folders[folder]
        if layer is not None and of_item(item) is None:
            item.add_marker(layer)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests of the layers that somebody asks for."""
    wanted = _wanted(config) or set()
    left_out = [item for item in items if of_item(item) not in wanted]
    if left_out:
        items[:] = [item for item in items if of_item(item) in wanted]
        config.hook.pytest_deselected(items=left_out)


class Layered:
    """Looks after tests that are of a layer, in the process that runs them."""

    def __init__(self, config: pytest.Config) -> None:
        settings = layer_settings()
        self._keys: dict[str, list[list[str]]] = settings["keys"]
        self._unit_seconds: float = settings["unit_seconds"]
        self._needs_keys = any(self._keys.values()) and not is_replayed(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skips a test whose layer needs keys that are not set. One that says itself what it needs is heard alone."""
        if not self._needs_keys:
            return
        layer = of_item(item)
        lacking = missing(self._keys.get(layer or "", []))
        if not lacking or item.get_closest_marker(MARKER) or _NO_KEY_NEEDED.intersection(_fixtures(item)):
            return
        reason = f"{lacking} not set: {layer} tests need a provider to answer (setting layers_keys)"
        raise pytest.skip.Exception(reason, _use_item_location=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Notes the layer on the report, and tells of a unit test that takes long."""
        report = yield
        layer = of_item(item)
        setattr(report, ATTRIBUTE, layer)
        if layer == "unit" and call.when == "call" and report.passed and call.duration > self._unit_seconds:
            self._warn(item, call.duration)
        return report

    def _warn(self, item: pytest.Item, seconds: float) -> None:
        # Handed to pytest, past the filters: a warning that is an error elsewhere must not fail a test that passed.
        told = LayerWarning(
            f"a unit test that takes {seconds:.2f} s: unit tests take less than {self._unit_seconds:g} s. If it waits "
            "for something outside, it belongs to another layer (setting layers_unit_seconds)"
        )
        line = (item.location[1] or 0) + 1
        message = warnings.WarningMessage(told, LayerWarning, str(item.path), line)
        item.config.hook.pytest_warning_recorded.call_historic(
            kwargs={"warning_message": message, "when": "runtest", "nodeid": item.nodeid, "location": None}
        )


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


class ByLayer:
    """Sums up what the tests of each layer came to, in the process that has the last word."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, object], list[pytest.TestReport]] = {}
        self._tests: list[tuple[str | None, str, float]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is over."""
        key = report.nodeid, getattr(report, "node", None)
        self._open.setdefault(key, []).append(report)
        if report.when in ("setup", "call"):
            return
        reports = self._open.pop(key)
        # Another plugin tries again, and the last time counts.
        if all(report.outcome != "rerun" for report in reports):  # type: ignore[comparison-overlap]
            layer = next((getattr(report, ATTRIBUTE, None) for report in reports), None)
            self._tests.append((layer, outcome_of(reports), sum(report.duration for report in reports)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tells it, if somebody is not too busy to read."""
        lines = layer_lines(self._tests) if terminalreporter.verbosity >= 0 else []
        if lines:
            terminalreporter.section("layers", sep="-")
            for line in lines:
                terminalreporter.write_line(line)
