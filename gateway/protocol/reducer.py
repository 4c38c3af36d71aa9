"""Reduction: events become messages and state, as the official client's reducer has it.

Feed it verified events whose chunks are expanded. An event that refers to what does not exist is
ignored, with a notice; a patch that cannot be applied leaves the state as it was.
Spec: `docs/spec/1.1/events/*.mdx`, `docs/spec/1.1/basic/metadata.mdx`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from gateway.errors import OrderingError, PatchError
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    Event,
    ReasoningMessageChunk,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    TextMessageChunk,
    ToolCallChunk,
    ToolCallResult,
    ToolCallStart,
)
from gateway.protocol.json_patch import apply_patch
from gateway.protocol.messages import Message
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.outcomes import (
    Interrupt,
    InterruptOutcome,
    RunFinishedOutcome,
    SuccessOutcome,
)
from gateway.protocol.reduction import activities, calls, snapshots, speech
from gateway.protocol.reduction.history import Apply, History


class Reducer:
    """Messages and state of a thread, event by event.

    `messages` and `state` are where it begins; an input without a state means `{}`, UNSET is a
    thread that has none, to which no patch applies. Readable at any time: `messages`,
    `state`, `pending_interrupts` (of the last run that ended in order), `pending_tool_call_ids`,
    `outcome` and `result` of the last run.
    """

    def __init__(
        self, messages: Iterable[Message] = (), state: Any = UNSET, warn: Warn = ignore
    ) -> None:
        self.state = state
        self.pending_interrupts: list[Interrupt] = []
        self.pending_tool_call_ids: list[str] = []
        self.outcome: RunFinishedOutcome | UnsetType = UNSET
        self.result: Any = UNSET
        self._history = History(messages)
        self._warn = warn
        self._called: dict[str, None] = {}
        self._answered: set[str] = set()

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first; those that have not changed are the same objects again."""
        return self._history.messages

    def append(self, message: Message) -> None:
        """Add a message of the application at the end, such as what the user says."""
        self._history.append(message)

    def feed(self, event: Event) -> None:
        """Apply one event; raises OrderingError for a chunk, which must be expanded before."""
        kind = type(event)
        follow = _FOLLOW.get(kind)
        if follow is not None:
            follow(self, event)
        apply = _APPLY.get(kind)
        if apply is not None:
            apply(self._history, event, self._warn)

    def _set_state(self, event: StateSnapshot) -> None:
        self.state = event.snapshot

    def _change_state(self, event: StateDelta) -> None:
        try:
            if self.state is UNSET:
                raise PatchError(0, "there is no state")
            self.state = apply_patch(self.state, event.delta)
        except PatchError as error:
            self._warn(
                Notice(
                    "unappliable",
                    f"/delta/{error.index}",
                    f"Failed to apply state patch, the state stays as it was: {error}",
                )
            )

    def _start_run(self, event: RunStarted) -> None:
        self._called = {}
        self._answered = set()
        self.outcome = UNSET
        self.result = UNSET
        if event.input is UNSET:
            return
        for message in event.input.messages:
            if self._history.find(message.id) is None:
                self._history.append(message)

    def _finish_run(self, event: RunFinished) -> None:
        self.outcome = event.outcome
        self.pending_interrupts = []
        self.pending_tool_call_ids = []
        if isinstance(event.outcome, InterruptOutcome):
            self.pending_interrupts = list(event.outcome.interrupts)
        elif event.outcome is UNSET or isinstance(event.outcome, SuccessOutcome):
            self.result = event.result
            self.pending_tool_call_ids = self._pending(event.outcome)

    def _pending(self, outcome: SuccessOutcome | UnsetType) -> list[str]:
        """The calls that the outcome names, or else those that nobody has answered."""
        named = UNSET if outcome is UNSET else outcome.pending_tool_call_ids
        if named is not UNSET and named:
            return list(named)
        return [id for id in self._called if id not in self._answered]

    def _note_call(self, event: ToolCallStart) -> None:
        self._called[event.tool_call_id] = None

    def _note_answer(self, event: ToolCallResult) -> None:
        self._answered.add(event.tool_call_id)

    def _refuse_chunk(self, event: Event) -> None:
        raise OrderingError(
            "out-of-order", event.type, "", "a chunk must be expanded before it is reduced"
        )


_APPLY: Final[dict[type[Event], Apply]] = {
    **speech.APPLY,
    **calls.APPLY,
    **activities.APPLY,
    **snapshots.APPLY,
}

_FOLLOW: Final[dict[type[Event], Callable[[Reducer, Any], None]]] = {
    StateSnapshot: Reducer._set_state,
    StateDelta: Reducer._change_state,
    ToolCallStart: Reducer._note_call,
    ToolCallResult: Reducer._note_answer,
    RunStarted: Reducer._start_run,
    RunFinished: Reducer._finish_run,
    TextMessageChunk: Reducer._refuse_chunk,
    ToolCallChunk: Reducer._refuse_chunk,
    ReasoningMessageChunk: Reducer._refuse_chunk,
}
"""What events do to the reducer itself, besides the messages."""
