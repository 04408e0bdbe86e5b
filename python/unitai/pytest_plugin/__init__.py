"""UnitAI in pytest: fixtures, options, and a report of what the agent did when a test fails.

The plugin stays out of the way: the engine is loaded by the first test that uses it, and a test that does
not is never looked at. What pytest loads is this one module, because every start of pytest pays for each.
"""

from __future__ import annotations

import sys

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from unitai.mock.toolkit import MockToolkit
    from unitai.traffic.scripted import ScriptedModel


_MODEL = "the model that agents use instead of their own"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, None, None]:
    """`--unitai-model`, another model for every run of every test; and `--model`, for short, unless a conftest
    has an option of that name already.
    """
    yield
    group = parser.getgroup("unitai")
    try:
        group.addoption("--unitai-model", "--model", dest="unitai_model", metavar="NAME", help=_MODEL)
    except Exception:
        group.addoption("--unitai-model", metavar="NAME", help=_MODEL)


def pytest_configure(config: pytest.Config) -> None:
    """Hands the model of the command line to the engine."""
    model = config.getoption("unitai_model", None)
    if model:
        from unitai._engine import set_default_model

        set_default_model(model)
        # Taken back: a test may run pytest in its own process.
        config.add_cleanup(lambda: set_default_model(None))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what the agent did to the report of a failed test."""
    report = yield
    if call.excinfo is None or not report.failed or "unitai._engine" not in sys.modules:
        return report
    from unitai.pytest_plugin.failures import sections

    colour = item.config.get_terminal_writer().hasmarkup
    try:
        report.sections.extend(sections(item, call.excinfo, colour))
    except Exception as error:
        # A report must never cost a test run its result.
        report.sections.append(("UnitAI", f"  The report could not be made: {type(error).__name__}"))
    return report


@pytest.fixture
def mock_toolkit() -> Iterator[MockToolkit]:
    """A fresh MockToolkit for each test."""
    from unitai.mock.toolkit import MockToolkit

    toolkit = MockToolkit()
    yield toolkit
    toolkit.reset()


@pytest.fixture
def scripted_model(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """Scripts the model for the rest of the test: `scripted_model([say("Hello!")])`. A step that was not
    played fails the test.
    """
    from unitai.pytest_plugin.scripts import Scripts

    scripts = Scripts(request.node)
    request.config.pluginmanager.register(scripts)
    try:
        yield scripts.begin
    finally:
        request.config.pluginmanager.unregister(scripts)
        scripts.close(None)


@pytest.fixture
def block_network() -> Iterator[None]:
    """Refuses every connection to the outside during the test, and names who wanted it."""
    from unitai.traffic.network import block_network

    with block_network():
        yield
