"""`Timestamps`: when each event left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer


def _now() -> int:
    return time.time_ns() // 1_000_000


class Timestamps(Transformer):
    """Stamps each event that has no timestamp; `clock` gives milliseconds since the epoch."""

    def __init__(self, clock: Callable[[], int] = _now) -> None:
        self._clock = clock

    def transform(self, event: Any) -> Any:
        """The event with a timestamp."""
        if event.timestamp is not BINDING.unset:
            return event
        return event.__replace__(timestamp=self._clock())
