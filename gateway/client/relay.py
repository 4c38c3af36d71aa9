"""One run of a remote agent: the events of one stream, passed on into another.

The terminal event is held back until the stream has ended, since a late RUN_ERROR or a further run
may follow it (spec: `docs/spec/1.1/events/lifecycle.mdx`).
"""

from __future__ import annotations

import time
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from gateway.agent import RunContext
from gateway.client.bounds import Bounds
from gateway.client.passage import Passage, PassageIntake
from gateway.client.transport import Incoming
from gateway.protocol.eras import PROTOCOL_VERSION
from gateway.protocol.events import Event, RunError, RunFinished, RunStarted
from gateway.protocol.notices import Warn
from gateway.protocol.peer import Peer
from gateway.protocol.pipeline import Pipeline
from gateway_native.escape import escape_line_separators

Ids: TypeAlias = Literal["check", "rewrite"]
Repair: TypeAlias = Literal["strict", "close"]


class Relay:
    """Reads an answer and emits what it says into `ctx`."""

    def __init__(
        self,
        ctx: RunContext[Any],
        incoming: Incoming,
        bounds: Bounds,
        peer: Peer,
        warn: Warn,
        ids: Ids,
        repair: Repair,
    ) -> None:
        self.first_event: float | None = None
        """When the first event came, on the clock of `time.monotonic`."""
        self._ctx = ctx
        self._incoming = incoming
        self._rewrite = ids == "rewrite"
        pipeline = Pipeline(
            warn=warn,
            peer=peer,
            agreement=not self._rewrite,
            thread_id=ctx.thread_id,
            run_id=ctx.run_id,
            mend=repair == "close",
        )
        self.intake = PassageIntake(incoming, pipeline, bounds, warn)
        self._first: list[Event | Passage] = []
        self._held: RunFinished | RunError | None = None

    async def begin(self) -> None:
        """Wait for the first events; raises UpstreamError, in which case nothing was emitted."""
        self._first = await self.intake.take_all()
        self.first_event = time.monotonic()

    async def pump(self) -> None:
        """Emit everything to the end of the stream; raises UpstreamError."""
        items = self._first
        while items:
            for item in items:
                self._pass(item)
            if self._ctx.behind:
                await self._ctx.drain()
            items = await self.intake.take_all()
        if self._held is not None:
            self._ctx.pass_on(self._held)

    async def close(self) -> None:
        """Close the connection."""
        await self._incoming.close()

    def _pass(self, item: Event | Passage) -> None:
        if type(item) is Passage:
            self._forward(item)
        elif isinstance(item, RunFinished | RunError):
            self._hold(item)
        elif isinstance(item, RunStarted):
            self._start(item)
        else:
            self._ctx.pass_on(item)  # type: ignore[arg-type]

    def _forward(self, passage: Passage) -> None:
        frames = escape_line_separators(passage.frames)
        if self._ctx.forward(passage.kind, passage.id, frames, passage.count):
            return
        for event in passage.events():
            self._ctx.pass_on(event)

    def _hold(self, terminal: RunFinished | RunError) -> None:
        self._release()
        if isinstance(terminal, RunFinished) and self._rewrite:
            thread, run = self._ctx.thread_id, self._ctx.run_id
            terminal = replace(terminal, thread_id=thread, run_id=run)
        self._held = terminal

    def _start(self, event: RunStarted) -> None:
        """The run declares what this side speaks, as the stream is written anew."""
        self._release()
        event = replace(event, protocol_version=PROTOCOL_VERSION)
        if self._rewrite:
            event = replace(event, thread_id=self._ctx.thread_id, run_id=self._ctx.run_id)
        self._ctx.pass_on(event)

    def _release(self) -> None:
        """Emit a terminal event that something may follow."""
        held, self._held = self._held, None
        if held is not None:
            self._ctx.finish_run(held)
