"""The result of a run and what its checks return. The classes live in the engine."""

from unitai._engine import AgentRunResult, Finding

__all__ = ["AgentRunResult", "Finding"]
