"""One mocked tool. The classes live in the engine; this is where the documentation says they are."""

from unitai._engine import MockTool, MockToolCall

__all__ = ["MockTool", "MockToolCall"]
