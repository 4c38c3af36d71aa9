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
from gateway_native.blocks import ACTION_OF, CONTINUES, ENDS, FAMILY_OF, Block, Blocks
from gateway_native.chunks import CHUNK, EFFECT_OF, ChunkExpander
from gateway_native.content import LastContent, is_plain
from gateway_native.errors import GatewayError, OrderingError
from gateway_native.kinds import (
    MESSAGES_SNAPSHOT,
    NAMES,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    SUBAGENT_STARTED,
)
from gateway_native.ledger import Ledger, id_of
from gateway_native.owners import tag_of
from gateway_native.runs import ACTIVE, ERRORED, FINISHED, Runs

TAGLESS: Final = [RUN_STARTED, RUN_FINISHED, RUN_ERROR, MESSAGES_SNAPSHOT, SUBAGENT_STARTED]
"""Kinds that name no subagent, or announce it."""


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
        self._history: dict[str, bool] = dict.fromkeys(known_calls or (), True)
        self._unannounced: Any = unannounced
        self._noticed: dict[str, bool] = {}
        self._runs = Runs(agreement or producer, thread_id, run_id)
        self._ledger = Ledger(producer, self._history)
        self._chunks = ChunkExpander()
        self._last = LastContent()

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
        for block in self._ledger.blocks.in_order():
            if not self._chunks.holds(FAMILY_OF[block.kind], block.id):
                blocks.append(block)
        return blocks

    def knows_call(self, id: str) -> bool:
        """Whether a result may name that call: it was made in this run or stands in its history."""
        return self._ledger.knows_call(id)

    def feed(self, event: Any) -> None:
        """Accept the next event, or raise OrderingError and stay as before."""
        if self._last.is_continued_by(event):
            return
        kind: int = event.kind
        self._judge(event, kind)
        if ACTION_OF[kind] == CONTINUES:
            self._last.set(event, kind)
        else:
            self._last.clear()

    def continues_last(self, event: Any) -> bool:
        """True for a lawful content event of the same block as the last event; it is accepted.

        A short way past `feed`, which decides when this is False.
        """
        return self._last.is_continued_by(event)

    def check_delta(self, kind: int, id: str) -> None:
        """As `feed`, for an untagged content event of that kind and id that was not built."""
        if self._chunks.lanes:
            self.feed(BINDING.classes[kind](id, ""))
            return
        self._runs.require_place(kind)
        self._ledger.blocks.require_open(kind, id)

    def finish(self) -> None:
        """The stream is over; raises OrderingError (truncated, wrong-run) if it is not complete."""
        self._runs.require_complete()

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

    def _accept(self, event: Any, kind: int) -> None:
        if kind == RUN_STARTED:
            self._start_run(event)
        elif kind == RUN_FINISHED:
            self._finish_run(event)
        elif kind == RUN_ERROR:
            self._end_run(kind)
        else:
            self._ledger.enter(event, kind)

    def _start_run(self, event: Any) -> None:
        self._runs.start(event)
        self._ledger = Ledger(self.producer, self._history)
        self._noticed = {}
        echo: Any = event.input
        if echo is not BINDING.unset:
            self._ledger.owners.seed(echo.messages, False)

    def _finish_run(self, event: Any) -> None:
        self._runs.require_end(event)
        still_open = self._ledger.blocks.describe()
        if still_open:
            raise OrderingError(
                "open-at-finish", NAMES[RUN_FINISHED], "", f"still open: {still_open}"
            )
        self._end_run(RUN_FINISHED)

    def _end_run(self, kind: int) -> None:
        self._runs.end(kind)
        self._ledger.blocks = Blocks()

    def _accept_expanded(self, event: Any, kind: int) -> None:
        """Accept what a chunk, or an event between chunks, stands for: all of it or nothing.

        Only an end can come before the event that is refused: after the start of a chunk comes
        its own content, which agrees with it. RUN_ERROR is never refused for what it ends.
        """
        lanes = self._chunks.lanes
        closed: list[Block] = []
        try:
            for one in self._chunks.feed(event):
                if one is event:
                    self._require_no_mix(one, kind)
                elif ACTION_OF[one.kind] == ENDS:
                    if kind != RUN_ERROR:
                        self._close_item(one, closed)
                    continue
                self._accept(one, one.kind)
        except OrderingError:
            self._chunks.lanes = lanes
            for block in closed:
                self._ledger.blocks.reopen(block)
            raise

    def _close_item(self, end: Any, closed: list[Block]) -> None:
        kind: int = end.kind
        block = self._ledger.blocks.by_family[FAMILY_OF[kind]].get(id_of(end, kind))
        self._accept(end, kind)
        if block is not None:
            closed.append(block)

    def _require_no_mix(self, event: Any, kind: int) -> None:
        """An end event of an item in another lane: the chunks' own end would come on top of it."""
        if ACTION_OF[kind] != ENDS:
            return
        id = id_of(event, kind)
        if self._chunks.holds(FAMILY_OF[kind], id):
            raise OrderingError(
                "not-open", NAMES[kind], id, f"{id!r} is written in chunks, which end by themselves"
            )

    def _require_well_formed(self, event: Any, kind: int) -> None:
        if ACTION_OF[kind] == CONTINUES and is_plain(BINDING.astuple(event)):
            return
        try:
            BINDING.check(event)
        except GatewayError as error:
            raise OrderingError("malformed", NAMES[kind], "", str(error)) from error

    def _notice(self, event: Any, kind: int) -> None:
        if kind in TAGLESS:
            return
        tag = tag_of(event)
        if tag is None or tag in self._noticed or self._ledger.blocks.knows_subagent(tag):
            return
        self._noticed[tag] = True
        self._unannounced(tag, NAMES[kind])
