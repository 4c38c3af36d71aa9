"""Tools that run where the client runs: what the agent is told of them, and their execution."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from gateway.errors import DecodeError, EncodeError
from gateway.protocol.input import Tool
from gateway.protocol.messages import ToolMessage
from gateway.protocol.values import decode_value, encode_value

logger = logging.getLogger("gateway.client")

Function: TypeAlias = Callable[[Any], Awaitable[Any] | Any]
"""Takes the decoded arguments; gives text, or any JSON value, or an awaitable of one."""


class FrontTools:
    """The tools of one session: those with a function are executed by it."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._functions: dict[str, Function] = {}

    @property
    def offered(self) -> list[Tool]:
        """What the agent may call."""
        return list(self._tools.values())

    def add(self, tool: Tool, function: Function | None = None) -> None:
        """Offer a tool; without a function the application answers its calls by itself."""
        self._tools[tool.name] = tool
        if function is not None:
            self._functions[tool.name] = function

    def runs(self, name: str) -> bool:
        """Whether calls of that name are executed here."""
        return name in self._functions

    async def answer(self, id: str, call_id: str, name: str, arguments: str) -> ToolMessage:
        """The message with the result of a call; a failure is a result too, with `error` set."""
        try:
            value = decode_value(arguments) if arguments.strip() else {}
            result = self._functions[name](value)
            if inspect.isawaitable(result):
                result = await result
            return ToolMessage(id, call_id, _text(result))
        except (DecodeError, EncodeError) as error:
            return ToolMessage(id, call_id, error.reason, error.reason)
        except Exception as error:
            logger.exception("the tool %s failed", name)
            text = f"{type(error).__name__}: {error}"
            return ToolMessage(id, call_id, text, text)


def _text(result: Any) -> str:
    return result if isinstance(result, str) else encode_value(result).decode()
