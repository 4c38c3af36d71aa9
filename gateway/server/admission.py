"""Admission: how many runs and requests one process takes on, in total and for each caller.

A request that goes beyond a limit is refused at once, with the time after which it is worth trying
again; nothing ever queues. A place is taken before the body is read, so that limits hold while
bodies trickle in, and given back when the request is refused or its run has ended.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from math import ceil
from typing import Final

from gateway.errors import RefusedError
from gateway.server.settings import Quotas

CALLERS: Final = 10_000
"""Callers whose rate is remembered; the one that was quiet for longest is forgotten first."""


def _busy(status: int, code: str, message: str, seconds: int) -> RefusedError:
    retry_after = ((b"retry-after", str(seconds).encode()),)
    return RefusedError(status, code, message, headers=retry_after)


class Place:
    """The place of one run; `leave` gives it back, a second time does nothing."""

    __slots__ = ("_admission", "_agent", "_principal")

    def __init__(self, admission: "Admission", agent: str, principal: str | None) -> None:
        self._admission: Admission | None = admission
        self._agent = agent
        self._principal = principal

    def leave(self) -> None:
        """Let somebody else in."""
        if self._admission is not None:
            self._admission.free(self._agent, self._principal)
            self._admission = None


class Admission:
    """Counts the places of one process; `clock` gives seconds and never goes back."""

    def __init__(self, quotas: Quotas, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas = quotas
        self._rates = Rates(quotas.requests_per_second, quotas.burst, clock)
        self._agents: Counter[str] = Counter()
        self._principals: Counter[str] = Counter()
        self.total = 0

    def require_room(self) -> None:
        """Refuse (503) when the process is full."""
        if 0 < self._quotas.max_runs <= self.total:
            raise self._refusal(503, "OVERLOADED", "The gateway has no room for another run now.")

    def count(self, caller: str) -> None:
        """Count a request; refuse it (429) when its caller sends too many."""
        wait = self._rates.take(caller)
        if wait > 0:
            raise _busy(429, "RATE_LIMITED", "Too many requests.", ceil(wait))

    def enter(self, agent: str, principal: str | None, agent_limit: int) -> Place:
        """Take a place; refuse (503, 429) when there is none in total, or for agent or principal.

        `agent_limit` is how many runs the agent may have, 0 for any number.
        """
        self.require_room()
        if 0 < agent_limit <= self._agents[agent]:
            raise self._refusal(429, "TOO_MANY_RUNS", "The agent has as many runs as it may.")
        limit = self._quotas.max_runs_per_principal
        if principal is not None and 0 < limit <= self._principals[principal]:
            raise self._refusal(429, "TOO_MANY_RUNS", "You have as many runs as you may.")
        self.total += 1
        self._agents[agent] += 1
        if principal is not None:
            self._principals[principal] += 1
        return Place(self, agent, principal)

    def free(self, agent: str, principal: str | None) -> None:
        """Give back what a `Place` took."""
        self.total -= 1
        self._agents[agent] -= 1
        if principal is not None:
            self._principals[principal] -= 1
            if not self._principals[principal]:
                del self._principals[principal]

    def _refusal(self, status: int, code: str, message: str) -> RefusedError:
        return _busy(status, code, message, self._quotas.retry_after)


class Rates:
    """A token bucket for each caller: `burst` at once, then `rate` a second (0: any number)."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, caller: str) -> float:
        """Take a token: 0.0, or the seconds until there will be one."""
        if not self._rate:
            return 0.0
        now = self._clock()
        full_at = max(self._full_at.get(caller, now), now) + 1 / self._rate
        wait = full_at - now - self._burst / self._rate
        if wait > 1e-9:
            return wait
        self._full_at[caller] = full_at
        self._full_at.move_to_end(caller)
        if len(self._full_at) > CALLERS:
            self._full_at.popitem(last=False)
        return 0.0
