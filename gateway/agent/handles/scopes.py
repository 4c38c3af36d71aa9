"""Steps and subagents: handles that emit like the context, inside of themselves."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from gateway.agent.emitters import Emitters
from gateway.agent.ids import Ids
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    StepFinished,
    StepStarted,
    SubagentError,
    SubagentFinished,
    SubagentStarted,
)
from gateway.protocol.outcomes import SuspendedOutcome
from gateway_native.stream import RunStream


class Scope(Emitters):
    """Emitters that can open steps and subagents inside."""

    __slots__ = ()

    def step(self, name: str) -> Step:
        """Open a step; steps nest, and two of one owner may not have one name at a time."""
        return Step(self._stream, self._ids, self.owner, name)

    def subagent(self, name: str, **details: Any) -> Subagent:
        """Announce a subagent; what its handle emits is attributed to it.

        `details` are `id` (minted if not given), `description`, `tool_call_id` and `message_id`
        (what it was started from).
        """
        return Subagent(self._stream, self._ids, self.owner, name, **details)


class Step(Scope):
    """An open step; leaving the `with` statement finishes it."""

    __slots__ = ("_ended", "name")

    def __init__(self, stream: RunStream, ids: Ids, owner: str | UnsetType, name: str) -> None:
        super().__init__(stream, ids, owner)
        self.name = name
        self._ended = False
        stream.emit(StepStarted(name, subagent_run_id=owner))

    def end(self) -> None:
        """Finish the step; a second time does nothing."""
        if self._ended:
            return
        self._ended = True
        if not self._stream.stopped:
            self._stream.emit(StepFinished(self.name, subagent_run_id=self.owner))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()


class Subagent(Scope):
    """A running subagent; leaving the `with` statement finishes it, or fails it on an error."""

    __slots__ = ("_ended", "id", "name")

    def __init__(
        self,
        stream: RunStream,
        ids: Ids,
        parent: str | UnsetType,
        name: str,
        *,
        id: str | None = None,
        description: str | UnsetType = UNSET,
        tool_call_id: str | UnsetType = UNSET,
        message_id: str | UnsetType = UNSET,
    ) -> None:
        self.id = ids.subagent() if id is None else id
        super().__init__(stream, ids, self.id)
        self.name = name
        self._ended = False
        stream.emit(SubagentStarted(self.id, name, description, parent, tool_call_id, message_id))

    def finish(self, result: Any = UNSET) -> None:
        """The subagent succeeded; `result` is any JSON value but null."""
        self._end(SubagentFinished(self.id, result))

    def suspend(self, interrupt_ids: list[str] | UnsetType = UNSET) -> None:
        """The subagent waits for the answers to interrupts of this run."""
        self._end(SubagentFinished(self.id, outcome=SuspendedOutcome(interrupt_ids)))

    def fail(self, message: str, code: str | UnsetType = UNSET) -> None:
        """The subagent failed; the run goes on."""
        self._end(SubagentError(self.id, message, code))

    def _end(self, event: SubagentFinished | SubagentError) -> None:
        if self._ended:
            return
        self._ended = True
        if not self._stream.stopped:
            self._stream.emit(event)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.finish()
        else:
            self.fail(f"{self.name} failed")
