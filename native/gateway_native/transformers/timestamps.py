"""`Timestamps`: when each event left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer


class Timestamps(Transformer):
    """Stamps each event that has no timestamp.

    `clock` gives milliseconds since the epoch: `lambda: time.time_ns() // 1_000_000`.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock

    def transform(self, event: Any) -> Any:
        """The event with a timestamp."""
        if event.timestamp is not BINDING.unset:
            return event
        return event.__replace__(timestamp=self._clock())
