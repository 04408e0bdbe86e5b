"""Adapters: how the agents of each framework are run with their tools mocked."""

from unitai.adapters.base import AgentTool, BaseAdapter
from unitai.adapters.ports import ModelCall, Session, StateChange, ToolCall, speaking
from unitai.adapters.registry import register

__all__ = ["AgentTool", "BaseAdapter", "ModelCall", "Session", "StateChange", "ToolCall", "register", "speaking"]
