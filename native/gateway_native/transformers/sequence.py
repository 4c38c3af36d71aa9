"""`SequentialBlocks`: one block at a time, for clients that cannot interleave.

At most one message, reasoning message or call is open on the wire. Text can be taken up again: a
message is ended when something else has to be written, and opened again, under the same id, when
its author goes on. A call cannot: while one is open, whatever belongs to other blocks is held, and
whatever comes behind it, so that the order of everything else stays as it was.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer
from gateway_native.kinds import (
    COUNT,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_END,
    TOOL_CALL_START,
)

ENDS: Final[dict[int, int]] = {
    TEXT_MESSAGE_START: TEXT_MESSAGE_END,
    REASONING_MESSAGE_START: REASONING_MESSAGE_END,
    TOOL_CALL_START: TOOL_CALL_END,
}
START_OF: Final[dict[int, int]] = {
    TEXT_MESSAGE_START: TEXT_MESSAGE_START,
    TEXT_MESSAGE_CONTENT: TEXT_MESSAGE_START,
    TEXT_MESSAGE_END: TEXT_MESSAGE_START,
    REASONING_MESSAGE_START: REASONING_MESSAGE_START,
    REASONING_MESSAGE_CONTENT: REASONING_MESSAGE_START,
    REASONING_MESSAGE_END: REASONING_MESSAGE_START,
    TOOL_CALL_START: TOOL_CALL_START,
    TOOL_CALL_ARGS: TOOL_CALL_START,
    TOOL_CALL_END: TOOL_CALL_START,
}
"""The kind that opens the block of an event; others belong to no block."""


class Opened:
    """A block that its author has open."""

    def __init__(self, start: Any, kind: int, id: str) -> None:
        self.start: Any = start
        self.kind = kind
        self.id = id


class SequentialBlocks(Transformer):
    """See the top of this module. Put `ExpandChunks` before it if agents emit chunks."""

    kinds: ClassVar[Any] = [
        kind for kind in range(COUNT) if kind not in (RUN_STARTED, RUN_FINISHED, RUN_ERROR)
    ]

    def __init__(self) -> None:
        self._opened: dict[tuple[int, str], Opened] = {}
        """What the author has open and is not held, by opening kind and id."""
        self._current: Opened | None = None
        """What is open on the wire."""
        self._held: list[Any] = []

    def transform(self, event: Any) -> Any:
        """The event in its turn, with the ends and starts that it needs; or nothing for now."""
        if self._must_wait(event):
            self._held.append(event)
            return None
        out = self._place(event)
        return out + self._release() if self._held else out

    def finish(self) -> Any:
        """What waits for the end of a call that does not come any more."""
        self._current = None
        return self._release()

    def _must_wait(self, event: Any) -> bool:
        kind: int = event.kind
        call = self._current
        if call is None or call.kind != TOOL_CALL_START or kind not in START_OF:
            return len(self._held) > 0
        return START_OF[kind] != TOOL_CALL_START or event.tool_call_id != call.id

    def _release(self) -> list[Any]:
        """What was held, as far as the next call that is not complete."""
        out: list[Any] = []
        while self._held and not self._writes_call():
            held = self._held
            self._held = []
            for event in held:
                if self._must_wait(event):
                    self._held.append(event)
                else:
                    out.extend(self._place(event))
        return out

    def _writes_call(self) -> bool:
        return self._current is not None and self._current.kind == TOOL_CALL_START

    def _place(self, event: Any) -> list[Any]:
        kind: int = event.kind
        if kind not in START_OF:
            return [event]
        start = START_OF[kind]
        key = (start, _id_of(event, start))
        if kind == start:
            return self._open(event, key)
        opened = self._opened.get(key)
        if opened is None:  # not ours to judge
            return [event]
        if kind == ENDS[start]:
            return self._end(event, key, opened)
        return [*self._turn_to(opened), event]

    def _open(self, event: Any, key: tuple[int, str]) -> list[Any]:
        opened = Opened(event, key[0], key[1])
        out = self._leave_current()
        self._opened[key] = opened
        self._current = opened
        out.append(event)
        return out

    def _end(self, event: Any, key: tuple[int, str], opened: Opened) -> list[Any]:
        """An end that is already on the wire is left out, unless it says more than that."""
        del self._opened[key]
        if self._current is not opened and event.metadata is BINDING.unset:
            return []
        out = self._turn_to(opened)
        self._current = None
        out.append(event)
        return out

    def _turn_to(self, opened: Opened) -> list[Any]:
        """What lets a block go on: the end of another one, and a new start."""
        if self._current is opened:
            return []
        out = self._leave_current()
        self._current = opened
        out.append(_restart(opened.start))
        return out

    def _leave_current(self) -> list[Any]:
        current = self._current
        if current is None:
            return []
        self._current = None
        end: Any = BINDING.classes[ENDS[current.kind]]
        return [end(current.id, subagent_run_id=current.start.subagent_run_id)]


def _id_of(event: Any, start: int) -> str:
    id: str = event.tool_call_id if start == TOOL_CALL_START else event.message_id
    return id


def _restart(start: Any) -> Any:
    """The start again, without what belongs to the first one alone."""
    unset: Any = BINDING.unset
    return start.__replace__(timestamp=unset, raw_event=unset)
