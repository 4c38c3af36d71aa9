"""The ordering verifier: every event of a stream passes it, and only a lawful one comes out.

Theory of operation. A stream is brackets within brackets. The outermost are runs (`runs`): one
after the other, each from RUN_STARTED to RUN_FINISHED or RUN_ERROR. Within a run there are blocks
(`blocks`): text messages, tool calls, reasoning spans, reasoning messages, steps and subagents.
A block is opened once, continued and ended only while it is open, and must be closed when
RUN_FINISHED comes; RUN_ERROR closes whatever is open. Nothing else about the order is law: blocks
of different ids overlap freely, a reasoning message needs no span, a closed message or call may be
opened again, and what is no bracket (state, activity, raw, custom, snapshots of messages) stands
anywhere in a run. Each id keeps its first owner for the whole run (`owners`): an event may leave
the tag out, but a tag may not contradict it. Chunks are a shorthand for brackets, so they are
judged by what they stand for (`chunks`), while the stream goes on with the chunk itself.

There are two rule sets. `consumer` is exactly the specification as the official client's pipeline
applies it to what it receives. `producer` is for agents that run here, whose mistakes are better
found before they are sent; it adds the rules marked P.

    not-started            anything but RUN_STARTED or a lone RUN_ERROR comes first
    duplicate-run-started  RUN_STARTED while a run is active
    run-ended              anything after a terminal, but RUN_STARTED, or RUN_ERROR after a finish
    wrong-run            P threadId or runId of a run is not the input's, or not its RUN_STARTED's
    duplicate-start        a block opens that is open, or a subagent id that has ended in this run
    not-open               a block is continued or ended that is not open
    unknown-parent         a subagent whose parent was not started in this run
    unknown-id           P a result for a call that neither this run nor its history has made
    out-of-order         P a result before the end of its call; a chunk that contradicts its first
                           one or continues nothing (in both rule sets)
    wrong-owner            a tag that is not the owner's
    open-at-finish         RUN_FINISHED while anything is open
    duplicate-interrupt  P two interrupts of one outcome share an id
    malformed            P a member holds a value of a wrong type or out of range
    truncated              the stream stops without a terminal event (`finish`)

A refused event leaves the verifier as it was, so the author of a bad event may catch the error and
go on. Everything is checked before anything changes; where one event stands for several, the ends
that it implied are taken back. All that is remembered of a run are the ids that later rules ask
for, and RUN_STARTED forgets them.

Spec: `docs/spec/1.1/basic/patterns/streaming.mdx`, `docs/spec/1.1/events/*.mdx`; for interrupts
`docs/spec/1.1/basic/patterns/interrupt-resume.mdx`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import CALL, FAMILY_OF, Block, Blocks
from gateway_native.chunks import CHUNK, EFFECT_OF, ChunkExpander
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    MESSAGES_SNAPSHOT,
    NAMES,
    REASONING_ENCRYPTED_VALUE,
    REASONING_END,
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
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_END,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)
from gateway_native.owners import Owners, tag_of
from gateway_native.runs import ACTIVE, ERRORED, FINISHED, Runs

STANDS_ALONE: Final = 0
OPENS: Final = 1
CONTINUES: Final = 2
ENDS: Final = 3


def _actions() -> list[int]:
    actions = [STANDS_ALONE] * COUNT
    for kind in (TEXT_MESSAGE_START, TOOL_CALL_START, REASONING_START, REASONING_MESSAGE_START):
        actions[kind] = OPENS
    for kind in (TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, REASONING_MESSAGE_CONTENT):
        actions[kind] = CONTINUES
    for kind in (TEXT_MESSAGE_END, TOOL_CALL_END, REASONING_END, REASONING_MESSAGE_END):
        actions[kind] = ENDS
    return actions


ACTION_OF: Final = _actions()
"""What an event of each kind does to a block of its family."""

ID: Final = 0
DELTA: Final = 1
TIMESTAMP: Final = 2
RAW_EVENT: Final = 3
METADATA: Final = 4
TAG: Final = 5
"""Places of the members of a content event."""

UNTAGGED: Final = [RUN_STARTED, RUN_FINISHED, RUN_ERROR, MESSAGES_SNAPSHOT]
"""Kinds that belong to no subagent."""


class Verifier:
    """Checks one stream: `feed` it each event in order, then `finish`.

    `producer` adds the rules marked P; `agreement` alone adds wrong-run and duplicate-interrupt,
    which consumers leave out by default. `thread_id` and `run_id` are the input's (None: the first
    RUN_STARTED decides), `known_calls` the ids of the tool calls in its messages. `unannounced` is
    called with a tag and an event type when an accepted event names a subagent that was not
    started in this run, once for each tag.
    """

    def __init__(
        self,
        producer: bool = False,
        agreement: bool = False,
        thread_id: str | None = None,
        run_id: str | None = None,
        known_calls: Iterable[str] | None = None,
        unannounced: Any = None,
    ) -> None:
        self.producer = producer
        self._runs = Runs(agreement or producer, thread_id, run_id)
        self._history: set[str] = set(known_calls or ())
        self._unannounced: Any = unannounced
        self._noticed: set[str] = set()
        self._blocks = Blocks()
        self._owners = Owners()
        self._chunks = ChunkExpander()
        self._hot_class: Any = None
        """The class of the last event, if it was a content event and its block is open."""
        self._hot_id: Any = None
        self._hot_tag: Any = None

    def twin(self) -> Verifier:
        """A new verifier with the same rules, for another view of the same stream."""
        runs = self._runs
        return Verifier(self.producer, runs.agreement, runs.thread_id, runs.run_id, self._history)

    @property
    def active(self) -> bool:
        """True between RUN_STARTED and the terminal event."""
        return self._runs.phase == ACTIVE

    @property
    def ended(self) -> bool:
        """True after a terminal event, until the next RUN_STARTED."""
        return self._runs.phase in (FINISHED, ERRORED)

    def open_blocks(self) -> list[Block]:
        """What is open and needs an end event, innermost last; chunks end by themselves."""
        blocks: list[Block] = []
        for block in self._blocks.in_order():
            if not self._chunks.holds(FAMILY_OF[block.kind], block.id):
                blocks.append(block)
        return blocks

    def knows_call(self, id: str) -> bool:
        """Whether a result may name that call: it was made in this run or stands in its history."""
        return id in self._owners.calls or id in self._history

    def feed(self, event: Any) -> None:
        """Accept the next event, or raise OrderingError and stay as before."""
        if self.continues_last(event):
            return
        kind: int = event.kind
        self._judge(event, kind)
        self._remember(event, kind)

    def continues_last(self, event: Any) -> bool:
        """True for a lawful content event of the same block as the last event; it is accepted.

        A short way past `feed`, which decides when this is False. One call for all members costs
        less than reading three of them one by one.
        """
        if type(event) is not self._hot_class:
            return False
        fields: tuple[Any, ...] = BINDING.astuple(event)
        unset: Any = BINDING.unset
        if (
            type(fields[DELTA]) is not str
            or fields[TIMESTAMP] is not unset
            or fields[RAW_EVENT] is not unset
            or fields[METADATA] is not unset
        ):
            return False
        id: Any = fields[ID]
        tag: Any = fields[TAG]
        return (id is self._hot_id or (type(id) is str and id == self._hot_id)) and (
            tag is self._hot_tag or (type(tag) is str and tag == self._hot_tag)
        )

    def _judge(self, event: Any, kind: int) -> None:
        self._runs.require_place(kind)
        if self.producer:
            self._require_well_formed(event, kind)
        if self._chunks.lanes or EFFECT_OF[kind] == CHUNK:
            self._accept_expanded(event, kind)
        else:
            self._accept(event, kind)
        if self._unannounced is not None:
            self._notice(event, kind)

    def _remember(self, event: Any, kind: int) -> None:
        """Let the next content event of the same block pass by a mere look at its members."""
        self._hot_class = None
        if ACTION_OF[kind] != CONTINUES or self._chunks.lanes:
            return
        self._hot_class = BINDING.classes[kind]
        self._hot_id = _id_of(event, kind)
        self._hot_tag = event.subagent_run_id

    def check_delta(self, kind: int, id: str) -> None:
        """As `feed`, for an untagged content event of that kind and id that was not built."""
        if self._chunks.lanes:
            self.feed(BINDING.classes[kind](id, ""))
            return
        self._runs.require_place(kind)
        self._blocks.require_open(kind, id)

    def finish(self) -> None:
        """The stream is over; raises OrderingError (truncated, wrong-run) if it is not complete."""
        self._runs.require_complete()

    # What an event does, once its place and its values are right.

    def _accept(self, event: Any, kind: int) -> None:
        action = ACTION_OF[kind]
        if action == CONTINUES:
            self._continue(event, kind)
        elif action == OPENS:
            self._open(event, kind)
        elif action == ENDS:
            self._end(event, kind)
        elif kind == STEP_STARTED:
            self._blocks.open_step(event.step_name, tag_of(event))
        elif kind == STEP_FINISHED:
            self._blocks.close_step(event.step_name, tag_of(event))
        elif kind == TOOL_CALL_RESULT:
            self._answer(event)
        elif kind == SUBAGENT_STARTED:
            self._start_subagent(event)
        elif kind in (SUBAGENT_FINISHED, SUBAGENT_ERROR):
            self._blocks.close_subagent(kind, event.subagent_run_id)
        elif kind == RUN_STARTED:
            self._start_run(event)
        elif kind == RUN_FINISHED:
            self._finish_run(event)
        elif kind == RUN_ERROR:
            self._end_run(kind)
        else:
            self._pass(event, kind)

    def _continue(self, event: Any, kind: int) -> None:
        id = _id_of(event, kind)
        self._blocks.require_open(kind, id)
        self._owners.require(kind, id, tag_of(event))

    def _open(self, event: Any, kind: int) -> None:
        id = _id_of(event, kind)
        self._blocks.require_closed(kind, id)
        if kind == TOOL_CALL_START:
            owner = self._owners.claim_call(id, tag_of(event), event.parent_message_id)
        else:
            owner = self._owners.claim(kind, id, tag_of(event))
        self._blocks.open(kind, id, owner)

    def _end(self, event: Any, kind: int) -> None:
        self._continue(event, kind)
        self._blocks.close(kind, _id_of(event, kind))

    def _answer(self, event: Any) -> None:
        call: str = event.tool_call_id
        if self.producer:
            self._require_answerable(call)
        self._owners.messages[event.message_id] = tag_of(event)

    def _start_subagent(self, event: Any) -> None:
        parent: Any = event.parent_subagent_run_id
        self._blocks.open_subagent(
            event.subagent_run_id, None if parent is BINDING.unset else parent
        )

    def _pass(self, event: Any, kind: int) -> None:
        owners = self._owners
        if kind == ACTIVITY_SNAPSHOT:
            owners.claim_activity(event.message_id, tag_of(event), event.replace is not False)
        elif kind == ACTIVITY_DELTA:
            owners.require_activity(event.message_id, tag_of(event))
        elif kind == REASONING_ENCRYPTED_VALUE:
            owners.require_entity(event.entity_id, tag_of(event), event.subtype)
        elif kind == MESSAGES_SNAPSHOT:
            owners.seed(event.messages, True)

    # Runs.

    def _start_run(self, event: Any) -> None:
        self._runs.start(event)
        self._blocks = Blocks()
        self._owners = Owners()
        self._noticed = set()
        echo: Any = event.input
        if echo is not BINDING.unset:
            self._owners.seed(echo.messages, False)

    def _finish_run(self, event: Any) -> None:
        self._runs.require_end(event)
        still_open = self._blocks.describe()
        if still_open:
            raise OrderingError(
                "open-at-finish", NAMES[RUN_FINISHED], "", f"still open: {still_open}"
            )
        self._end_run(RUN_FINISHED)

    def _end_run(self, kind: int) -> None:
        self._runs.end(kind)
        self._blocks = Blocks()

    # Chunks.

    def _accept_expanded(self, event: Any, kind: int) -> None:
        """Accept what a chunk, or an event between chunks, stands for: all of it or nothing.

        Only an end can come before the event that is refused: after the start of a chunk comes
        its own content, which agrees with it.
        """
        lanes = self._chunks.lanes
        closed: list[Block] = []
        try:
            for one in self._chunks.feed(event):
                if one is event:
                    self._require_no_mix(one, kind)
                elif ACTION_OF[one.kind] == ENDS:
                    self._close_item(one, closed)
                    continue
                self._accept(one, one.kind)
        except OrderingError:
            self._chunks.lanes = lanes
            for block in closed:
                self._blocks.reopen(block)
            raise

    def _close_item(self, end: Any, closed: list[Block]) -> None:
        kind: int = end.kind
        block = self._blocks.by_family[FAMILY_OF[kind]].get(_id_of(end, kind))
        self._end(end, kind)
        if block is not None:
            closed.append(block)

    def _require_no_mix(self, event: Any, kind: int) -> None:
        """An end event of an item in another lane: the chunks' own end would come on top of it."""
        if ACTION_OF[kind] != ENDS:
            return
        id = _id_of(event, kind)
        if self._chunks.holds(FAMILY_OF[kind], id):
            raise OrderingError(
                "not-open", NAMES[kind], id, f"{id!r} is written in chunks, which end by themselves"
            )

    # Rules of producers.

    def _require_well_formed(self, event: Any, kind: int) -> None:
        if ACTION_OF[kind] == CONTINUES and _is_plain(BINDING.astuple(event)):
            return
        try:
            BINDING.check(event)
        except Exception as error:
            raise OrderingError("malformed", NAMES[kind], "", str(error)) from error

    def _require_answerable(self, call: str) -> None:
        if call in self._blocks.by_family[CALL]:
            raise OrderingError(
                "out-of-order",
                NAMES[TOOL_CALL_RESULT],
                call,
                f"tool call {call!r} has not ended yet",
            )
        if not self.knows_call(call):
            raise OrderingError(
                "unknown-id", NAMES[TOOL_CALL_RESULT], call, f"nothing has made tool call {call!r}"
            )

    def _notice(self, event: Any, kind: int) -> None:
        if kind in UNTAGGED or kind == SUBAGENT_STARTED:
            return
        tag = tag_of(event)
        if tag is None or tag in self._noticed or self._blocks.knows_subagent(tag):
            return
        self._noticed.add(tag)
        self._unannounced(tag, NAMES[kind])


def _id_of(event: Any, kind: int) -> str:
    """The id of the block that an event opens, continues or ends."""
    if FAMILY_OF[kind] == CALL:
        call: str = event.tool_call_id
        return call
    message: str = event.message_id
    return message


def _is_plain(fields: Any) -> bool:
    """Whether a content event is nothing but an id, a delta and perhaps a tag, all of them text."""
    unset: Any = BINDING.unset
    return (
        type(fields[ID]) is str
        and type(fields[DELTA]) is str
        and fields[TIMESTAMP] is unset
        and fields[RAW_EVENT] is unset
        and fields[METADATA] is unset
        and (fields[TAG] is unset or type(fields[TAG]) is str)
    )
