"""Fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unitai.mock.toolkit import MockToolkit
    from unitai.traffic.scripted import ScriptedModel


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
