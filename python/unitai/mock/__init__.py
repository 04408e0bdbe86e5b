"""Mocked tools."""

from unitai._engine import MockTool, MockToolCall
from unitai.mock.strategies import (
    CallableStrategy,
    ConditionalStrategy,
    ErrorStrategy,
    ResponseStrategy,
    SequenceStrategy,
    StaticStrategy,
)
from unitai.mock.toolkit import MockToolkit

__all__ = [
    "CallableStrategy",
    "ConditionalStrategy",
    "ErrorStrategy",
    "MockTool",
    "MockToolCall",
    "MockToolkit",
    "ResponseStrategy",
    "SequenceStrategy",
    "StaticStrategy",
]
