"""Handles: open blocks of a run, each a context manager that closes what it opened."""

from gateway.agent.handles.activity import Activity
from gateway.agent.handles.reasoning import Reasoning
from gateway.agent.handles.text import TextMessage
from gateway.agent.handles.tool_call import ToolCallBlock

__all__ = ["Activity", "Reasoning", "TextMessage", "ToolCallBlock"]
