"""`ToolResultToState`: what a tool answers becomes the state, or a change of it."""

from __future__ import annotations

from typing import Any, ClassVar

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer
from gateway_native.errors import GatewayError
from gateway_native.kinds import (
    STATE_DELTA,
    STATE_SNAPSHOT,
    TOOL_CALL_CHUNK,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)


class ToolResultToState(Transformer):
    """Adds a state event behind the first result of each call of one tool, or puts it in its place.

    The result must be the text of a JSON value: the state itself, or a JSON Patch. A result that is
    not, passes alone. The state event belongs to whoever the result belongs to.
    """

    kinds: ClassVar[Any] = (TOOL_CALL_START, TOOL_CALL_CHUNK, TOOL_CALL_RESULT)

    def __init__(self, tool: str, kind: int, replacing: bool = False) -> None:
        self.tool = tool
        self.kind = kind
        self.replacing = replacing
        self._calls: set[str] = set()
        """Calls of the tool that have had no result."""

    @staticmethod
    def snapshot(tool: str, replacing: bool = False) -> ToolResultToState:
        """The result is the state: STATE_SNAPSHOT."""
        return ToolResultToState(tool, STATE_SNAPSHOT, replacing)

    @staticmethod
    def delta(tool: str, replacing: bool = False) -> ToolResultToState:
        """The result is a list of JSON Patch operations: STATE_DELTA."""
        return ToolResultToState(tool, STATE_DELTA, replacing)

    def transform(self, event: Any) -> Any:
        """The event, or with its state event, or the state event alone."""
        kind: int = event.kind
        id: Any = event.tool_call_id
        if kind != TOOL_CALL_RESULT:
            self._notice(id, event.tool_call_name)
            return event
        if id not in self._calls:
            return event
        self._calls.discard(id)
        state = self._state_of(event)
        if state is None:
            return event
        return state if self.replacing else [event, state]

    def _notice(self, id: Any, name: Any) -> None:
        unset: Any = BINDING.unset
        if id is unset or name is unset:
            return
        if name == self.tool:
            self._calls.add(id)
        else:
            self._calls.discard(id)

    def _state_of(self, result: Any) -> Any:
        """The state event of a result, None if it holds none."""
        if not isinstance(result.content, str):
            return None
        try:
            state: Any = BINDING.classes[self.kind](
                BINDING.decode(result.content), subagent_run_id=result.subagent_run_id
            )
            BINDING.check(state)
        except (ValueError, GatewayError):
            return None
        return state
