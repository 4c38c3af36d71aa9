"""The ordering verifier: every event of a stream passes it, and only a lawful one comes out.

Theory of operation. A stream carries one run or several, one after the other. A run is a bracket:
RUN_STARTED opens it, RUN_FINISHED or RUN_ERROR closes it; RUN_ERROR may also stand alone at the
very beginning, and once more after RUN_FINISHED. Within a run there are blocks, smaller brackets of
six families (`blocks`): each opens once, is continued and ended only while it is open, and must be
closed when RUN_FINISHED comes. Blocks of different ids overlap freely, the families are separate
name spaces, and a closed message or call may be opened again. Whatever is not a bracket (state,
activity, raw, custom, snapshots of messages) may stand anywhere in a run. Each block has an owner
(`owners`): a continuation may leave its tag out but may not contradict its opener's.

There are two rule sets. `consumer` is exactly the specification as the official client applies it
to what it receives. `producer` is for agents that run here, whose mistakes are better found before
they are sent; it adds the rules marked P.

    not-started            anything but RUN_STARTED or a lone RUN_ERROR comes first
    duplicate-run-started  RUN_STARTED while a run is active
    run-ended              anything after a terminal but RUN_STARTED, or one late RUN_ERROR
    wrong-run            P threadId or runId of a boundary event is not the input's or its start's
    duplicate-start        a block opens that is open, or a subagent id that has ended in this run
    not-open               a block is continued or ended that is not open
    unknown-parent         a subagent whose parent was not started in this run
    unknown-id           P a result for a call that neither this run nor its history has made
    out-of-order         P a result before the end of its call; a chunk that contradicts its opener
    wrong-owner            a tag that is not the owner's
    open-at-finish         RUN_FINISHED while anything is open
    duplicate-interrupt  P two interrupts of one outcome share an id
    malformed            P a member holds a value of a wrong type or out of range
    truncated              the stream ends while a run is active (`finish`)

Spec: `docs/spec/1.1/events/*.mdx`, `docs/spec/1.1/basic/patterns/streaming.mdx`. The agreement of
ids (wrong-run, duplicate-interrupt) is law for producers; consumers check it with `agreement`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import FAMILY_OF, NOUNS, STEP, SUBAGENT, Block, Blocks
from gateway_native.chunks import ChunkExpander
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    MESSAGES_SNAPSHOT,
    NAMES,
    REASONING_ENCRYPTED_VALUE,
    REASONING_END,
    REASONING_MESSAGE_CHUNK,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    REASONING_START,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    STEP_FINISHED,
    STEP_STARTED,
    SUBAGENT_ERROR,
    SUBAGENT_FINISHED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CHUNK,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_CHUNK,
    TOOL_CALL_END,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)
from gateway_native.owners import UNKNOWN, Owners, require_owner, tag_of

IDLE: Final = 0
ACTIVE: Final = 1
FINISHED: Final = 2
ERRORED: Final = 3

OPENS: Final = 1
CONTINUES: Final = 2
ENDS: Final = 3
CHUNK: Final = 4
OTHER: Final = 0


def _actions() -> list[int]:
    actions = [OTHER] * COUNT
    for kind in (TEXT_MESSAGE_START, TOOL_CALL_START, REASONING_START, REASONING_MESSAGE_START):
        actions[kind] = OPENS
    for kind in (TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, REASONING_MESSAGE_CONTENT):
        actions[kind] = CONTINUES
    for kind in (TEXT_MESSAGE_END, TOOL_CALL_END, REASONING_END, REASONING_MESSAGE_END):
        actions[kind] = ENDS
    for kind in (TEXT_MESSAGE_CHUNK, TOOL_CALL_CHUNK, REASONING_MESSAGE_CHUNK):
        actions[kind] = CHUNK
    return actions


ACTION_OF: Final = _actions()
"""What an event of each kind does to a block of its family."""


class Verifier:
    """Checks one stream; `feed` each event in order.

    `producer` adds the rules marked P, `agreement` those on ids alone. `thread_id` and `run_id`
    are the input's (None: the first RUN_STARTED decides), `known_calls` the ids of the calls in
    its messages.
    """

    def __init__(
        self,
        producer: bool = False,
        agreement: bool = False,
        thread_id: str | None = None,
        run_id: str | None = None,
        known_calls: list[str] | None = None,
    ) -> None:
        self.producer = producer
        self.agreement = agreement or producer
        self.thread_id = thread_id
        self.run_id = run_id
        self.phase = IDLE
        self._history: list[str] = [] if known_calls is None else known_calls
        self._current_run = ""
        self._last_delta = ""
        self._blocks = Blocks()
        self._owners = Owners()
        self._ended_subagents: set[str] = set()
        self._calls: set[str] = set()
        self._chunks = ChunkExpander()

    def twin(self) -> Verifier:
        """A new verifier with the same rules, for another stream of the same run."""
        return Verifier(self.producer, self.agreement, self.thread_id, self.run_id, self._history)

    @property
    def active(self) -> bool:
        """True between RUN_STARTED and the terminal event."""
        return self.phase == ACTIVE

    def open_blocks(self) -> list[Block]:
        """What is open, the innermost last."""
        return self._blocks.in_order()

    def feed(self, event: Any) -> None:
        """Accept the next event, or raise OrderingError and stay as before."""
        self._feed(event, event.kind)

    def continues_last(self, event: Any) -> bool:
        """True for a lawful, untagged TEXT_MESSAGE_CONTENT of the same message as the last one.

        A short way past `feed`, which decides when this is False.
        """
        return (
            event.message_id is self._last_delta
            and event.subagent_run_id is BINDING.unset
            and type(event.delta) is str
        )

    def check_delta(self, kind: int, id: str) -> None:
        """Raise as `feed` would for an untagged content event of that kind and id."""
        if self.phase != ACTIVE:
            self._check_phase(kind, id)
        if id not in self._blocks.by_family[FAMILY_OF[kind]]:
            raise _not_open(kind, id)

    def finish(self) -> None:
        """The stream is over; raises OrderingError if it was cut off, or ended on another run."""
        if self.phase == ACTIVE or self.phase == IDLE:
            raise OrderingError(
                "truncated", "", self._current_run, "the stream ended without a terminal event"
            )
        if self.agreement and self.run_id is not None and self._current_run != self.run_id:
            raise OrderingError(
                "wrong-run",
                NAMES[RUN_FINISHED],
                self._current_run,
                f"the last run is {self._current_run!r}, the input asked for {self.run_id!r}",
            )

    # ---- dispatch

    def _feed(self, event: Any, kind: int) -> None:
        if self.phase != ACTIVE or kind == RUN_STARTED:
            self._check_phase(kind, "")
        if self.producer:
            self._check_values(event, kind)
        action = ACTION_OF[kind]
        if action == CHUNK or self._chunks.busy:
            self._feed_expanded(event)
            return
        self._apply(event, kind, action)

    def _feed_expanded(self, event: Any) -> None:
        """Judge a chunk, or what stands between chunks, by the events that it stands for."""
        lanes = self._chunks.copy()
        expanded = self._chunks.feed(event)
        accepted = 0
        try:
            for one in expanded:
                kind: int = one.kind
                self._apply(one, kind, ACTION_OF[kind])
                accepted += 1
        except OrderingError:
            self._chunks = lanes
            self._undo(expanded, accepted)
            raise
        self._last_delta = ""

    def _undo(self, expanded: list[Any], accepted: int) -> None:
        """Reopen what the synthesized ends before a refused event have closed."""
        for index in range(accepted):
            kind: int = expanded[index].kind
            if ACTION_OF[kind] == ENDS:
                family = FAMILY_OF[kind]
                id = _id_of(expanded[index], kind)
                owner = self._owners.by_family[family].get(id)
                self._blocks.open(family, _START_OF[kind], id, owner)
            elif ACTION_OF[kind] == OPENS:
                del self._blocks.by_family[FAMILY_OF[kind]][_id_of(expanded[index], kind)]

    def _apply(self, event: Any, kind: int, action: int) -> None:
        if action == CONTINUES:
            self._continue(event, kind)
        elif action == OPENS:
            self._open(event, kind)
        elif action == ENDS:
            self._end(event, kind)
        elif kind in (STEP_STARTED, STEP_FINISHED):
            self._step(event, kind)
        elif kind == TOOL_CALL_RESULT:
            self._result(event)
        elif kind == SUBAGENT_STARTED:
            self._start_subagent(event)
        elif kind in (SUBAGENT_FINISHED, SUBAGENT_ERROR):
            self._end_subagent(event, kind)
        elif kind == RUN_STARTED:
            self._start_run(event)
        elif kind == RUN_FINISHED:
            self._finish_run(event)
        elif kind == RUN_ERROR:
            self.phase = ERRORED
            self._last_delta = ""
        else:
            self._apply_standalone(event, kind)

    def _check_phase(self, kind: int, id: str) -> None:
        phase = self.phase
        if phase == IDLE:
            if kind != RUN_STARTED and kind != RUN_ERROR:
                raise OrderingError(
                    "not-started", NAMES[kind], id, "a stream begins with RUN_STARTED"
                )
        elif phase == ACTIVE:
            raise OrderingError(
                "duplicate-run-started",
                NAMES[kind],
                self._current_run,
                f"run {self._current_run!r} is still active",
            )
        elif kind != RUN_STARTED and not (phase == FINISHED and kind == RUN_ERROR):
            raise OrderingError("run-ended", NAMES[kind], id, "the run has ended")

    def _check_values(self, event: Any, kind: int) -> None:
        try:
            BINDING.check(event)
        except Exception as error:
            raise OrderingError("malformed", NAMES[kind], "", str(error)) from error

    # ---- blocks

    def _continue(self, event: Any, kind: int) -> None:
        id = _id_of(event, kind)
        family = FAMILY_OF[kind]
        if id not in self._blocks.by_family[family]:
            raise _not_open(kind, id)
        tag = tag_of(event)
        if tag is not None:
            owner = self._owners.by_family[family].get(id, UNKNOWN)
            require_owner(owner, tag, NAMES[kind], NOUNS[family], id)
        if kind == TEXT_MESSAGE_CONTENT:
            self._last_delta = id

    def _open(self, event: Any, kind: int) -> None:
        id = _id_of(event, kind)
        family = FAMILY_OF[kind]
        if id in self._blocks.by_family[family]:
            raise OrderingError(
                "duplicate-start", NAMES[kind], id, f"{NOUNS[family]} {id!r} is already open"
            )
        owners = self._owners.by_family[family]
        tag = tag_of(event)
        if tag is not None:
            require_owner(owners.get(id, UNKNOWN), tag, NAMES[kind], NOUNS[family], id)
        owner = tag
        if kind == TOOL_CALL_START:
            owner = self._owner_of_call(event, id, tag)
            self._calls.add(id)
        self._blocks.open(family, kind, id, tag)
        if id not in owners:
            owners[id] = owner

    def _owner_of_call(self, event: Any, id: str, tag: str | None) -> str | None:
        """A call belongs to whoever its message belongs to."""
        parent: Any = event.parent_message_id
        if parent is BINDING.unset or parent not in self._owners.messages:
            return tag
        message: str = parent
        owner = self._owners.messages[message]
        if tag is not None:
            require_owner(owner, tag, NAMES[TOOL_CALL_START], "the parent message", message)
        elif self._owners.calls.get(id, owner) != owner:
            raise OrderingError(
                "wrong-owner",
                NAMES[TOOL_CALL_START],
                id,
                f"tool call {id!r} and its parent message {message!r} have different owners",
            )
        return owner

    def _end(self, event: Any, kind: int) -> None:
        self._continue(event, kind)
        del self._blocks.by_family[FAMILY_OF[kind]][_id_of(event, kind)]
        self._last_delta = ""

    def _step(self, event: Any, kind: int) -> None:
        name: str = event.step_name
        owner = tag_of(event)
        steps = self._blocks.steps
        if kind == STEP_STARTED:
            if (owner, name) in steps:
                raise OrderingError(
                    "duplicate-start", NAMES[kind], name, f"step {name!r} is already open"
                )
            self._blocks.open_step(name, owner)
            return
        if (owner, name) not in steps:
            for _other_owner, other_name in steps:
                if other_name == name:
                    raise OrderingError(
                        "wrong-owner",
                        NAMES[kind],
                        name,
                        f"step {name!r} is open under another owner, who must finish it",
                    )
            raise OrderingError("not-open", NAMES[kind], name, f"no {NOUNS[STEP]} {name!r} is open")
        del steps[(owner, name)]

    def _result(self, event: Any) -> None:
        call: str = event.tool_call_id
        if self.producer:
            if call in self._blocks.calls:
                raise OrderingError(
                    "out-of-order",
                    NAMES[TOOL_CALL_RESULT],
                    call,
                    f"tool call {call!r} has not ended yet",
                )
            if call not in self._calls and call not in self._history:
                raise OrderingError(
                    "unknown-id",
                    NAMES[TOOL_CALL_RESULT],
                    call,
                    f"nothing has made a tool call {call!r}",
                )
        message: str = event.message_id
        self._owners.messages[message] = tag_of(event)

    # ---- subagents

    def _start_subagent(self, event: Any) -> None:
        id: str = event.subagent_run_id
        running = self._blocks.subagents
        if id in running or id in self._ended_subagents:
            state = "running" if id in running else "ended in this run"
            raise OrderingError(
                "duplicate-start",
                NAMES[SUBAGENT_STARTED],
                id,
                f"subagent {id!r} is already {state}",
            )
        parent: Any = event.parent_subagent_run_id
        if (
            parent is not BINDING.unset
            and parent not in running
            and parent not in self._ended_subagents
        ):
            raise OrderingError(
                "unknown-parent",
                NAMES[SUBAGENT_STARTED],
                id,
                f"the parent {parent!r} of subagent {id!r} was not started in this run",
            )
        self._blocks.open_subagent(id)

    def _end_subagent(self, event: Any, kind: int) -> None:
        id: str = event.subagent_run_id
        if id not in self._blocks.subagents:
            raise OrderingError(
                "not-open", NAMES[kind], id, f"no {NOUNS[SUBAGENT]} {id!r} is running"
            )
        del self._blocks.subagents[id]
        self._ended_subagents.add(id)

    # ---- runs

    def _start_run(self, event: Any) -> None:
        thread: str = event.thread_id
        run: str = event.run_id
        if self.agreement:
            if self.thread_id is None:
                self.thread_id = thread
            self._require_thread(thread, RUN_STARTED)
        self._blocks = Blocks()
        self._owners = Owners()
        self._ended_subagents = set()
        self._calls = set()
        self._chunks = ChunkExpander()
        self._last_delta = ""
        self._current_run = run
        self.phase = ACTIVE
        echo: Any = event.input
        if echo is not BINDING.unset:
            self._owners.seed(echo.messages, False)

    def _finish_run(self, event: Any) -> None:
        if self.agreement:
            self._require_agreement(event)
        open_now = self._blocks.describe()
        if open_now:
            raise OrderingError(
                "open-at-finish", NAMES[RUN_FINISHED], "", f"still open: {open_now}"
            )
        self.phase = FINISHED
        self._last_delta = ""

    def _require_agreement(self, event: Any) -> None:
        self._require_thread(event.thread_id, RUN_FINISHED)
        run: str = event.run_id
        if run != self._current_run:
            raise OrderingError(
                "wrong-run",
                NAMES[RUN_FINISHED],
                run,
                f"run {self._current_run!r} is active, the event names {run!r}",
            )
        outcome: Any = event.outcome
        if outcome is BINDING.unset or type(outcome) is not BINDING.interrupt_outcome:
            return
        seen: set[str] = set()
        for interrupt in outcome.interrupts:
            if interrupt.id in seen:
                raise OrderingError(
                    "duplicate-interrupt",
                    NAMES[RUN_FINISHED],
                    interrupt.id,
                    f"two interrupts have the id {interrupt.id!r}",
                )
            seen.add(interrupt.id)

    def _require_thread(self, thread: str, kind: int) -> None:
        if self.thread_id is not None and thread != self.thread_id:
            raise OrderingError(
                "wrong-run",
                NAMES[kind],
                thread,
                f"the thread is {self.thread_id!r}, the event names {thread!r}",
            )

    # ---- standalone events

    def _apply_standalone(self, event: Any, kind: int) -> None:
        if kind == ACTIVITY_SNAPSHOT:
            id: str = event.message_id
            if id not in self._owners.activities or event.replace is not False:
                self._owners.activities[id] = tag_of(event)
        elif kind == ACTIVITY_DELTA:
            tag = tag_of(event)
            if tag is not None:
                id = event.message_id
                owner = self._owners.activities.get(id, UNKNOWN)
                require_owner(owner, tag, NAMES[kind], "activity", id)
        elif kind == REASONING_ENCRYPTED_VALUE:
            self._check_encrypted_value(event)
        elif kind == MESSAGES_SNAPSHOT:
            self._owners.seed(event.messages, True)
            for message in event.messages:
                if message.role == "assistant" and message.tool_calls is not BINDING.unset:
                    for call in message.tool_calls:
                        self._calls.add(call.id)

    def _check_encrypted_value(self, event: Any) -> None:
        tag = tag_of(event)
        if tag is None:
            return
        id: str = event.entity_id
        if event.subtype == "tool-call":
            require_owner(
                self._owners.calls.get(id, UNKNOWN),
                tag,
                NAMES[REASONING_ENCRYPTED_VALUE],
                "tool call",
                id,
            )
        else:
            require_owner(
                self._owners.of_message(id),
                tag,
                NAMES[REASONING_ENCRYPTED_VALUE],
                "message",
                id,
            )


_START_OF: Final[dict[int, int]] = {
    TEXT_MESSAGE_END: TEXT_MESSAGE_START,
    TOOL_CALL_END: TOOL_CALL_START,
    REASONING_END: REASONING_START,
    REASONING_MESSAGE_END: REASONING_MESSAGE_START,
}


def _id_of(event: Any, kind: int) -> str:
    """The id of the block that an event opens, continues or ends."""
    id: str = (
        event.tool_call_id
        if kind in (TOOL_CALL_ARGS, TOOL_CALL_START, TOOL_CALL_END)
        else event.message_id
    )
    return id


def _not_open(kind: int, id: str) -> OrderingError:
    noun = NOUNS[FAMILY_OF[kind]]
    return OrderingError("not-open", NAMES[kind], id, f"no {noun} {id!r} is open")
