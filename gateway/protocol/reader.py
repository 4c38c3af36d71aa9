"""What the readers of the two stream formats share: when events are given and a fault is raised.

A chunk may hold good events and then a bad frame. The events are returned, since they came first,
and the fault is raised by the next call; a chunk that gives no event before its fault raises it at
once. After a fault every call raises it again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from gateway.errors import GatewayError

Json = dict[str, Any]
"""An event as a JSON object, not yet judged by anyone."""


class EventReader(ABC):
    """Turns the chunks of one response body, cut anywhere, into the JSON objects of its events."""

    def __init__(self) -> None:
        self.fault: GatewayError | None = None
        """What the next call will raise; look here to stop a stream before its next chunk."""

    def feed(self, chunk: bytes) -> list[Json]:
        """The events that `chunk` completes; raises the fault of the stream."""
        return self._collect(self._read(chunk))

    def finish(self) -> list[Json]:
        """The events that the end of the body completes; raises TruncatedError if it came early.

        Call it once, after the last chunk.
        """
        return self._collect(self._read_last())

    def _collect(self, events: Iterator[Json]) -> list[Json]:
        if self.fault is not None:
            raise self.fault
        found: list[Json] = []
        try:
            for event in events:
                found.append(event)
        except GatewayError as error:
            self.fault = error
            if not found:
                raise
        return found

    @abstractmethod
    def _read(self, chunk: bytes) -> Iterator[Json]:
        """Yields the events that `chunk` completes, raises at the first bad frame."""

    @abstractmethod
    def _read_last(self) -> Iterator[Json]:
        """Yields what the end completes."""
