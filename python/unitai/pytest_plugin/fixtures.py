"""Fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unitai.mock.toolkit import MockToolkit


@pytest.fixture
def mock_toolkit() -> Iterator[MockToolkit]:
    """A fresh MockToolkit for each test."""
    from unitai.mock.toolkit import MockToolkit

    toolkit = MockToolkit()
    yield toolkit
    toolkit.reset()
