"""The consumer pipeline: from the events of a peer to what an application may rely on.

    boundary       retired shapes become current ones             `boundary.Boundary`
    peer           what a peer of a known older version meant      `peer.Peer`
    enforcement    the unknown is stripped, the malformed is fatal `enforcement.enforce`
    expansion      chunks become start, content and end            `ChunkExpander`
    verification   the order is lawful                             `Verifier`

Each stage can be used on its own; reduction to messages and state comes after (`reducer.Reducer`).
The order of the stages is law (spec: `docs/spec/1.1/basic/processing.mdx`).
"""

from __future__ import annotations

from typing import Any

from gateway.protocol.base import UNSET
from gateway.protocol.boundary import Boundary
from gateway.protocol.enforcement import enforce
from gateway.protocol.eras import Version as Spoken
from gateway.protocol.events import Event, RunError, RunFinished, RunStarted
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.peer import Peer
from gateway.protocol.schema import Version
from gateway_native.chunks import ChunkExpander
from gateway_native.closing import closing_event
from gateway_native.verifier import Verifier


class Pipeline:
    """One stream of a peer: `feed` it each event as it was decoded, then `finish`.

    `version` is what this side speaks, `peer` what is known of the other. `agreement` also demands
    that ids of runs and threads agree, as 1.1 drafts do. `mend` is not conforming: it ends what is
    open at a RUN_FINISHED, and drops a terminal event that may not follow another, with a notice.
    Raises MalformedError and OrderingError; the stream is lost then, and what was delivered stays
    delivered.
    """

    def __init__(
        self,
        version: Version = "1.0",
        warn: Warn = ignore,
        peer: Peer | None = None,
        agreement: bool = False,
        thread_id: str | None = None,
        run_id: str | None = None,
        mend: bool = False,
    ) -> None:
        self._version: Version = version
        self._warn = warn
        self._peer = Peer() if peer is None else peer
        self._boundary = Boundary(warn)
        self._expander = ChunkExpander()
        self._verifier = Verifier(False, agreement, thread_id, run_id)
        self._mend = mend
        self._failed = False

    def feed(self, event: Any) -> list[Event]:
        """What the application sees of an event: none, one, or several."""
        current = self._boundary.feed(event)
        if type(current) is dict:
            current = self._peer.incoming(current)
            if current is None:
                return []
        enforced = enforce(current, self._warn, self._version)
        if enforced is None:
            return []
        if self._mend and self._is_surplus(enforced):
            return []
        events: list[Event] = self._expander.feed(enforced)
        if self._mend and type(enforced) is RunFinished:
            return self._feed_mended(events)
        for one in events:
            self._verifier.feed(one)
        self._failed = type(enforced) is RunError
        if type(enforced) is RunStarted:
            self._compare_version(enforced)
        return events

    @property
    def complete(self) -> bool:
        """True if the stream may end here: a run has come to its terminal event, none is active."""
        return self._verifier.ended

    def finish(self) -> None:
        """The stream has ended; raises OrderingError (`truncated`) if no terminal event came."""
        self._verifier.finish()

    def _is_surplus(self, event: Event) -> bool:
        """Whether a terminal event comes where none may: after another."""
        if type(event) not in (RunFinished, RunError) or not self._verifier.ended:
            return False
        if type(event) is RunError and not self._failed:
            return False
        self._warn(
            Notice("mended", event.type, f"dropped a {event.type} behind the end of the run")
        )
        return True

    def _feed_mended(self, events: list[Event]) -> list[Event]:
        """Feed the ends of chunks and a RUN_FINISHED, with the ends that are missing before it."""
        *ends, terminal = events
        for end in ends:
            self._verifier.feed(end)
        for block in reversed(self._verifier.open_blocks()):
            end = closing_event(block, False)
            self._verifier.feed(end)
            self._warn(Notice("mended", end.type, f"ended {block.id!r}, which was left open"))
            ends.append(end)
        self._verifier.feed(terminal)
        return [*ends, terminal]

    def _compare_version(self, event: RunStarted) -> None:
        """Tell of a peer that speaks a newer version, or one that cannot be read as one."""
        declared = event.protocol_version
        if declared is UNSET:
            return
        theirs = Spoken.parse(declared)
        ours = Spoken.parse(self._version)
        if theirs is None:
            why = f"cannot interpret the declared protocol version {declared!r:.40}"
        elif ours is not None and theirs > ours:
            why = f"the peer speaks protocol {declared}, newer than {self._version}"
        else:
            return
        self._warn(Notice("newer-version", "/protocolVersion", f"RUN_STARTED: {why}"))
