"""Bounds of a run's output, so that no run takes more memory or sends more than it may."""

from __future__ import annotations

from gateway_native.batch import Batch
from gateway_native.errors import LimitError


class Bounds:
    """At most so many events and bytes in a whole run, and so many bytes not yet flushed.

    0 is no bound. `max_events` events are accepted exactly; bytes are counted when they are
    encoded, so the batch that goes beyond still goes out.
    """

    def __init__(self, max_events: int, max_bytes: int, max_pending: int) -> None:
        self.max_events = max_events
        self.max_bytes = max_bytes
        self.max_pending = max_pending

    def room(self, batch: Batch) -> int:
        """How many events may wait in the batch before it must be sealed and measured."""
        if not self.max_events:
            return batch.full
        return min(batch.full, self.max_events - batch.sealed)

    def broken(self, batch: Batch) -> LimitError | None:
        """What to raise for the next event; None while there is room for one."""
        if self.max_events and batch.count() >= self.max_events:
            return LimitError(self.max_events, "events")
        if self.max_pending and batch.pending_bytes > self.max_pending:
            return LimitError(self.max_pending, "bytes that wait for the viewer")
        if self.max_bytes and batch.bytes > self.max_bytes:
            return LimitError(self.max_bytes, "bytes")
        return None
