"""The plugin as pytest loads it. It stays out of the way: the engine is loaded by the first test that
uses it, and a test that does not is never looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

from unitai.pytest_plugin.fixtures import block_network as block_network
from unitai.pytest_plugin.fixtures import mock_toolkit as mock_toolkit
from unitai.pytest_plugin.fixtures import scripted_model as scripted_model

_MODEL = "the model that agents use instead of their own"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--unitai-model`: another model for every run of every test."""
    parser.getgroup("unitai").addoption("--unitai-model", metavar="NAME", help=_MODEL)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, None, None]:
    """`--model`, for short, unless a conftest has an option of that name already."""
    yield
    try:
        parser.getgroup("unitai").addoption("--model", dest="unitai_model", metavar="NAME", help=_MODEL)
    except Exception:
        pass


def pytest_configure(config: pytest.Config) -> None:
    """Hands the model of the command line to the engine."""
    model = config.getoption("unitai_model", None)
    if model:
        from unitai._engine import set_default_model

        set_default_model(model)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Takes it back: a test may run pytest in its own process."""
    if config.getoption("unitai_model", None):
        from unitai._engine import set_default_model

        set_default_model(None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, None]:
    """Adds what the agent did to the report of a failed test."""
    outcome = yield
    if call.excinfo is None or "unitai._engine" not in sys.modules:
        return
    report: pytest.TestReport = outcome.get_result()
    if not report.failed:
        return
    from unitai.pytest_plugin.failures import sections

    colour = item.config.get_terminal_writer().hasmarkup
    try:
        report.sections.extend(sections(item, call.excinfo, colour))
    except Exception as error:
        # A report must never cost a test run its result.
        report.sections.append(("UnitAI", f"  The report could not be made: {type(error).__name__}"))
