"""What a session tells its application: one typed update for each change that can be shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    ActivityDelta,
    ActivitySnapshot,
    Custom,
    Event,
    MessagesSnapshot,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    RunError,
    StateDelta,
    StateSnapshot,
    StepFinished,
    StepStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from gateway.protocol.messages import Message
from gateway.protocol.outcomes import CancelledOutcome, Interrupt, InterruptOutcome
from gateway.protocol.parts import ContentPart
from gateway.protocol.reducer import Reducer
from gateway.protocol.usage import TokenUsage

Change: TypeAlias = Literal["started", "grown", "ended"]


class Update(Struct, frozen=True):
    """Base of all updates."""


class TextChanged(Update, frozen=True):
    """A message of the agent; `delta` is what was added, "" but for `grown`."""

    message_id: str
    change: Change
    delta: str = ""


class ReasoningChanged(Update, frozen=True):
    """A reasoning message; as `TextChanged`."""

    message_id: str
    change: Change
    delta: str = ""


class ToolCallReady(Update, frozen=True):
    """A tool call whose arguments are complete; `arguments` is text as the model wrote it."""

    id: str
    name: str
    arguments: str


class ToolAnswered(Update, frozen=True):
    """The result of a call, from the agent or from a tool of the front end."""

    call_id: str
    content: str | list[ContentPart]
    error: str | None = None


class StateChanged(Update, frozen=True):
    """The whole state after a snapshot or a delta."""

    state: Any


class MessagesChanged(Update, frozen=True):
    """The agent replaced messages; all of them as they are now."""

    messages: list[Message]


class ActivityChanged(Update, frozen=True):
    """An activity message has a new content."""

    message_id: str


class StepChanged(Update, frozen=True):
    """A step has begun, or is over."""

    name: str
    running: bool


class CustomReceived(Update, frozen=True):
    """An event that the application and its agent have agreed on."""

    name: str
    value: Any


class Ended(Update, frozen=True, kw_only=True):
    """The end of a run, once for each request.

    `failed` is the agent's own RUN_ERROR, with `message` and `code`; `interrupts` are the questions
    of an `interrupt`; `pending_calls` are the tool calls left to the front end.
    """

    status: Literal["success", "interrupt", "cancelled", "failed"]
    run_id: str
    result: Any = UNSET
    message: str = ""
    code: str | UnsetType = UNSET
    interrupts: list[Interrupt] = []
    pending_calls: list[str] = []
    usage: list[TokenUsage] = []


def ending(terminal: Event | None, run_id: str, pending_calls: Sequence[str]) -> Ended:
    """How a run ended, by its terminal event."""
    given = getattr(terminal, "usage", UNSET)
    usage: list[TokenUsage] = [] if given is UNSET else given
    if isinstance(terminal, RunError):
        message, code = terminal.message, terminal.code
        return Ended(status="failed", run_id=run_id, message=message, code=code, usage=usage)
    outcome = getattr(terminal, "outcome", UNSET)
    if isinstance(outcome, InterruptOutcome):
        asked = outcome.interrupts
        return Ended(status="interrupt", run_id=run_id, interrupts=asked, usage=usage)
    if isinstance(outcome, CancelledOutcome):
        return Ended(status="cancelled", run_id=run_id, usage=usage)
    return Ended(
        status="success",
        run_id=run_id,
        result=getattr(terminal, "result", UNSET),
        pending_calls=list(pending_calls),
        usage=usage,
    )


class Updates:
    """Makes the updates of one run from its events, after the reducer has seen each."""

    def __init__(self, reducer: Reducer) -> None:
        self._reducer = reducer
        self._names: dict[str, str] = {}
        self._arguments: dict[str, list[str]] = {}

    def of(self, event: Event) -> Iterator[Update]:
        """What an event changes for the application; most kinds give one update."""
        match event:
            case TextMessageContent():
                yield TextChanged(event.message_id, "grown", event.delta)
            case TextMessageStart():
                yield TextChanged(event.message_id, "started")
            case TextMessageEnd():
                yield TextChanged(event.message_id, "ended")
            case ReasoningMessageContent():
                yield ReasoningChanged(event.message_id, "grown", event.delta)
            case ReasoningMessageStart():
                yield ReasoningChanged(event.message_id, "started")
            case ReasoningMessageEnd():
                yield ReasoningChanged(event.message_id, "ended")
            case ToolCallStart() | ToolCallArgs() | ToolCallEnd() | ToolCallResult():
                yield from self._call(event)
            case _:
                yield from self._other(event)

    def _call(
        self, event: ToolCallStart | ToolCallArgs | ToolCallEnd | ToolCallResult
    ) -> Iterator[Update]:
        id = event.tool_call_id
        if isinstance(event, ToolCallStart):
            self._names[id] = event.tool_call_name
            self._arguments.setdefault(id, [])
        elif isinstance(event, ToolCallArgs):
            self._arguments[id].append(event.delta)
        elif isinstance(event, ToolCallEnd):
            yield ToolCallReady(id, self._names[id], "".join(self._arguments[id]))
        else:
            yield ToolAnswered(id, event.content)

    def _other(self, event: Event) -> Iterator[Update]:
        match event:
            case StateSnapshot() | StateDelta():
                yield StateChanged(self._reducer.state)
            case MessagesSnapshot():
                yield MessagesChanged(self._reducer.messages)
            case ActivitySnapshot() | ActivityDelta():
                yield ActivityChanged(event.message_id)
            case StepStarted() | StepFinished():
                yield StepChanged(event.step_name, isinstance(event, StepStarted))
            case Custom():
                yield CustomReceived(event.name, event.value)
