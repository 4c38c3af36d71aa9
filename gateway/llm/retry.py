"""When a failed call of a model is tried again: one layer, with a budget and a deadline.

Waits grow exponentially with full jitter; what the provider asks for (Retry-After) is a floor, and
a wait beyond `max_wait` or beyond the deadline is not begun. A budget shared by the calls of one
provider keeps an outage from multiplying traffic: a retry takes a token, a success gives a tenth
back. Nothing is tried again once a visible delta went out; the caller of this sees to that.
"""

import random
from collections.abc import Callable

from msgspec import Struct

from gateway.errors import ProviderError

REFUND = 0.1


class Retry(Struct, frozen=True, kw_only=True):
    """A policy; times in seconds. `attempts` counts the first one too, 1 never tries again."""

    attempts: int = 3
    base: float = 0.5
    cap: float = 8.0
    max_wait: float = 60.0
    budget: int = 10

    def wait(
        self, attempt: int, failure: ProviderError, chance: Callable[[], float] = random.random
    ) -> float | None:
        """Seconds before the next attempt after attempt number `attempt` (from 1), None to stop."""
        limit = 2 if failure.kind == "malformed_response" else self.attempts
        if not failure.is_retryable or attempt >= min(limit, self.attempts):
            return None
        delay = chance() * min(self.cap, self.base * 2 ** (attempt - 1))
        if failure.retry_after is not None:
            delay = failure.retry_after + delay / 4
        return delay if delay <= self.max_wait else None


class Budget:
    """The tokens for retries that the calls of one provider share."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.tokens = float(size)

    def take(self) -> bool:
        """Spend a token on a retry; false if there is none."""
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def refund(self) -> None:
        """A call has succeeded."""
        self.tokens = min(self.size, self.tokens + REFUND)
