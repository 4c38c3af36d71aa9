"""A circuit breaker: a model that keeps failing is left alone for a while.

After `threshold` failures of the server's making in a row the circuit opens, and calls fail at once
for `rest` seconds. Then one call is let through as a probe; its success closes the circuit, its
failure opens it again.
"""

import time
from collections.abc import Callable
from typing import Final

from gateway.errors import ProviderError

COUNTED: Final = ("overloaded", "server", "timeout", "network")


class Breaker:
    """The circuit of one model of one provider; `clock` gives seconds."""

    def __init__(
        self,
        threshold: int = 10,
        rest: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threshold = threshold
        self.rest = rest
        self._clock = clock
        self._failures = 0
        self._probe_at = 0.0
        """When the open circuit lets a call through."""

    def remaining(self) -> float:
        """Seconds until a call may be tried, 0 if now; asking at 0 claims the probe."""
        if self._failures < self.threshold:
            return 0.0
        now = self._clock()
        if now < self._probe_at:
            return self._probe_at - now
        self._probe_at = now + self.rest
        return 0.0

    def succeeded(self) -> None:
        """The model has answered, if only to refuse."""
        self._failures = 0

    def failed(self, failure: ProviderError) -> None:
        """An attempt has failed; a refusal is an answer, too."""
        if failure.kind not in COUNTED:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= self.threshold:
            self._probe_at = self._clock() + self.rest
