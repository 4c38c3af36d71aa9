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
from gateway.protocol.events import Event, RunStarted
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.peer import Peer
from gateway.protocol.schema import Version
from gateway_native.chunks import ChunkExpander
from gateway_native.verifier import Verifier


class Pipeline:
    """One stream of a peer: `feed` it each event as it was decoded, then `finish`.

    `version` is what this side speaks, `peer` what is known of the other. `agreement` also demands
    that ids of runs and threads agree, as 1.1 drafts do. Raises MalformedError and OrderingError;
    the stream is lost then, and what was delivered stays delivered.
    """

    def __init__(
        self,
        version: Version = "1.0",
        warn: Warn = ignore,
        peer: Peer | None = None,
        agreement: bool = False,
        thread_id: str | None = None,
        run_id: str | None = None,
    ) -> None:
        self._version: Version = version
        self._warn = warn
        self._peer = Peer() if peer is None else peer
        self._boundary = Boundary(warn)
        self._expander = ChunkExpander()
        self._verifier = Verifier(False, agreement, thread_id, run_id)

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
        events: list[Event] = self._expander.feed(enforced)
        for one in events:
            self._verifier.feed(one)
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
