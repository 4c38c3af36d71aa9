"""`RunContext`: what an agent's `run` is given, to read the request and to emit the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from gateway.agent.backpressure import Backpressure
from gateway.agent.cancellation import CancelToken
from gateway.agent.handles.scopes import Scope
from gateway.agent.ids import Ids
from gateway.agent.request import Request
from gateway.agent.state import StatePublisher
from gateway.errors import RunCancelledError
from gateway.protocol.base import UNSET
from gateway.protocol.events import RunError, RunFinished
from gateway.protocol.input import Context, ResumeEntry, RunAgentInput, Tool
from gateway.protocol.messages import Message, UserMessage
from gateway.protocol.parts import TextPart
from gateway.protocol.usage import TokenUsage
from gateway_native.stream import RunStream

State = TypeVar("State")
T = TypeVar("T")


class RunContext(Scope, Generic[State]):
    """One run, seen by its agent: the request, the state, and everything that can be emitted."""

    __slots__ = ("_backpressure", "_publisher", "_token", "input", "request", "usages")

    def __init__(
        self,
        input: RunAgentInput,
        stream: RunStream,
        publisher: StatePublisher[State],
        token: CancelToken,
        backpressure: Backpressure,
        request: Request,
    ) -> None:
        super().__init__(stream, Ids(input), UNSET)
        self.input = input
        self.request = request
        self.usages: list[TokenUsage] = []
        self._publisher = publisher
        self._token = token
        self._backpressure = backpressure

    @property
    def thread_id(self) -> str:
        return self.input.thread_id

    @property
    def run_id(self) -> str:
        return self.input.run_id

    @property
    def parent_run_id(self) -> str | None:
        """The run that started this one as a separate run, if any."""
        return None if self.input.parent_run_id is UNSET else self.input.parent_run_id

    @property
    def protocol_version(self) -> str | None:
        """What the client declared; None marks a client of the 0.x era."""
        return None if self.input.protocol_version is UNSET else self.input.protocol_version

    @property
    def messages(self) -> Sequence[Message]:
        """The complete history, oldest first."""
        return self.input.messages

    @property
    def last_user_text(self) -> str | None:
        """The text of the newest user message, its text parts joined by newlines.

        None when there is no user message, "" when it has no text.
        """
        for message in reversed(self.input.messages):
            if isinstance(message, UserMessage):
                return _text_of(message)
        return None

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that the front end offers to run."""
        return self.input.tools

    def tool(self, name: str) -> Tool | None:
        """The offered tool of that name, None if there is none."""
        return next((tool for tool in self.input.tools if tool.name == name), None)

    @property
    def context(self) -> Sequence[Context]:
        """Facts that the application wants the model to know."""
        return self.input.context

    @property
    def forwarded_props(self) -> Any:
        """Whatever the client passed on, None if nothing."""
        props = self.input.forwarded_props
        return None if props is UNSET else props

    @property
    def resume(self) -> Sequence[ResumeEntry]:
        """The answers to the interrupts of the previous run."""
        return () if self.input.resume is UNSET else self.input.resume

    @property
    def is_resume(self) -> bool:
        """True when this run answers at least one interrupt."""
        return bool(self.resume)

    def resume_for(self, id: str) -> ResumeEntry | None:
        """The first answer to the interrupt of that id, None if there is none."""
        return next((entry for entry in self.resume if entry.interrupt_id == id), None)

    @property
    def state(self) -> State:
        """The typed state, decoded from the input; change it and publish it."""
        return self._publisher.value

    def update_state(self, change: Callable[[State], State | None]) -> None:
        """Change the state in place, or return a new one, and publish it."""
        changed = change(self._publisher.value)
        if changed is not None:
            self._publisher.value = changed
        self._publisher.publish()

    def set_state(self, value: State) -> None:
        """Replace the state and publish it."""
        self._publisher.value = value
        self._publisher.publish()

    def publish_state(self) -> None:
        """Tell the client what changed: a snapshot at first, later a delta where it is smaller."""
        self._publisher.publish()

    def forward(self, kind: int, id: str, frames: bytes, count: int) -> bool:
        """Emit `count` content events of one open block as the SSE frames that hold them.

        For agents that relay a stream and have judged it. False, and nothing is emitted, where
        events are wanted: by a transformer, or because the viewer gets another encoding.
        """
        return self._stream.forward(kind, id, frames, count)

    def finish_run(self, terminal: RunFinished | RunError) -> None:
        """Emit the terminal event of a run that another one follows on the same stream."""
        self._stream.finish_run(terminal)

    def usage(self, usage: TokenUsage) -> None:
        """Report the tokens of one model call; the terminal event carries the sums by model."""
        self.usages.append(usage)

    @property
    def cancelled(self) -> bool:
        """True once the run was cancelled."""
        return self._token.tripped

    @property
    def token(self) -> CancelToken:
        """The run's token, for handing on to whatever works for the agent."""
        return self._token

    def check_cancelled(self) -> None:
        """Raise RunCancelledError if the run was cancelled."""
        if self._token.reason is not None:
            raise RunCancelledError(self._token.reason)

    async def until_cancelled(self, awaitable: Awaitable[T]) -> T | None:
        """The result of `awaitable`, or None if the run is cancelled first."""
        return await self._token.until_cancelled(awaitable)

    @property
    def behind(self) -> bool:
        """True while more waits for the viewer than the high-water mark allows."""
        return self._backpressure.full

    async def drain(self) -> None:
        """Return when the viewer has caught up; call it after a burst, as `emit` never waits."""
        await self._backpressure.drain()


def _text_of(message: UserMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))
