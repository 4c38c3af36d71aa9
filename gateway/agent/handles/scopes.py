"""Steps and subagents: handles that emit like the context, inside of themselves."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any, Self

from gateway.agent.emitters import Emitters, Guard
from gateway.agent.handles.closing import Closing
from gateway.agent.ids import Ids
from gateway.agent.sink import Sink
from gateway.errors import AgentError, GatewayError
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    StepFinished,
    StepStarted,
    SubagentError,
    SubagentFinished,
    SubagentStarted,
)
from gateway.protocol.outcomes import SuspendedOutcome

logger = logging.getLogger("gateway.agent")


class Scope(Emitters):
    """Emitters that can open steps and subagents inside."""

    __slots__ = ()

    def step(self, name: str) -> Step:
        """Open a step; steps nest, and two of one owner may not have one name at a time."""
        return Step(self._stream, self._ids, self.owner, self._guard, name)

    def subagent(
        self,
        name: str,
        *,
        id: str | None = None,
        description: str | UnsetType = UNSET,
        tool_call_id: str | UnsetType = UNSET,
        message_id: str | UnsetType = UNSET,
    ) -> Subagent:
        """Announce a subagent; what its handle emits is attributed to it.

        `id` is minted if not given, `tool_call_id` and `message_id` say what it was started from.
        """
        started = SubagentStarted(
            self._ids.subagent(id), name, description, self.owner, tool_call_id, message_id
        )
        return Subagent(self._stream, self._ids, self._guard, started)


class Step(Scope, Closing):
    """An open step; leaving the `with` statement finishes it."""

    __slots__ = ("_ended", "name")

    def __init__(
        self, stream: Sink, ids: Ids, owner: str | UnsetType, guard: Guard, name: str
    ) -> None:
        super().__init__(stream, ids, owner, guard)
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

    @property
    def _title(self) -> str:
        return f"step {self.name}"


class Subagent(Scope):
    """A running subagent; leaving the `with` statement finishes it, or fails it on an error."""

    __slots__ = ("_ended", "id", "name")

    def __init__(self, stream: Sink, ids: Ids, guard: Guard, started: SubagentStarted) -> None:
        super().__init__(stream, ids, started.subagent_run_id, guard)
        self.id = started.subagent_run_id
        self.name = started.name
        self._ended = False
        stream.emit(started)

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
        elif isinstance(error, AgentError):
            self._fail_on_exit(error.message, error.code)
        else:
            self._fail_on_exit(f"{self.name} failed", "AGENT_ERROR")

    def _fail_on_exit(self, message: str, code: str) -> None:
        try:
            self.fail(message, code)
        except GatewayError:
            logger.warning("subagent %s could not be ended after an error", self.id, exc_info=True)
