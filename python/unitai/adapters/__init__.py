"""Adapters: how the agents of each framework are run with their tools mocked."""

from unitai.adapters.base import BaseAdapter
from unitai.adapters.ports import ModelCall, Session, StateChange, ToolCall
from unitai.adapters.registry import register

__all__ = ["BaseAdapter", "ModelCall", "Session", "StateChange", "ToolCall", "register"]
