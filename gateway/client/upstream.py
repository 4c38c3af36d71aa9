"""The servers behind one remote agent: which to ask, and which to leave alone for a while.

Health is passive, that is judged by what came of real runs. A circuit breaker per server: after so
many failures in succession it is shunned until the cooldown is over (or until the time that it
asked for with Retry-After); then one run is let through as a probe, whose outcome decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Literal, TypeAlias

from msgspec import Struct

from gateway.client.http import address, checked_url

Spread: TypeAlias = Literal["failover", "sticky"]

LONGEST_SHUNNING = 300.0
"""Seconds that a Retry-After is honoured at most."""


class Breaker(Struct, frozen=True, kw_only=True):
    """When a server is shunned: after `failures` in succession, for `cooldown` seconds."""

    failures: int = 5
    cooldown: float = 30.0

    def __post_init__(self) -> None:
        if self.failures < 1 or not self.cooldown > 0:
            raise ValueError("failures must be at least 1, cooldown more than 0 seconds")


class Upstream:
    """One server, in this process."""

    def __init__(
        self, url: str, breaker: Breaker = Breaker(), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.url = checked_url(url)
        self.failures = 0
        """Failures in succession."""
        self._breaker = breaker
        self._clock = clock
        self._shunned_until: float | None = None
        self._probing = False

    def __repr__(self) -> str:
        return f"Upstream({address(self.url)})"

    @property
    def wait(self) -> float:
        """Seconds until it may be asked; 0 when it may, or will as soon as its probe is over."""
        if self._shunned_until is None:
            return 0.0
        return max(0.0, self._shunned_until - self._clock())

    @property
    def available(self) -> bool:
        """Whether a run may be sent to it now."""
        return not self.wait and not self._probing

    def claim(self) -> None:
        """A run is sent to it; must be followed by one of `succeeded`, `failed`, `released`."""
        self._probing = self._shunned_until is not None

    def succeeded(self) -> None:
        """The run came to its end, whatever the agent made of it."""
        self.failures = 0
        self._shunned_until = None
        self._probing = False

    def failed(self, retry_after: float | None = None) -> None:
        """The server is to blame for a run that did not."""
        self.failures += 1
        self._probing = False
        shunned = 0.0 if retry_after is None else min(retry_after, LONGEST_SHUNNING)
        if self.failures >= self._breaker.failures:
            shunned = max(shunned, self._breaker.cooldown)
        if shunned:
            self._shunned_until = self._clock() + shunned

    def released(self) -> None:
        """The run says nothing about the server: it was cancelled, or was itself at fault."""
        self._probing = False


class Upstreams:
    """All servers of one agent.

    `spread` is `failover` (the first that is available, in order) or `sticky` (each thread has an
    order of its own, the same in every process, so that threads spread evenly and stay where they
    are). Raises ValueError for no URL, a URL twice, or what is no URL.
    """

    def __init__(
        self,
        urls: Sequence[str],
        spread: Spread = "failover",
        breaker: Breaker = Breaker(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not urls or len(set(urls)) < len(urls):
            raise ValueError("an agent needs at least one URL, and each only once")
        if spread not in ("failover", "sticky"):
            raise ValueError(f"unknown spread {spread!r}: expected 'failover' or 'sticky'")
        self.all = [Upstream(url, breaker, clock) for url in urls]
        self._spread = spread

    def order(self, thread_id: str) -> list[Upstream]:
        """All servers, the one to ask first first; whether they are available is not looked at."""
        if self._spread == "failover":
            return list(self.all)
        return sorted(self.all, key=lambda upstream: _rank(upstream.url, thread_id))

    @property
    def wait(self) -> float:
        """Seconds until the next server may be asked."""
        return min(upstream.wait for upstream in self.all)


def _rank(url: str, thread_id: str) -> bytes:
    """Rendezvous hashing: a server that goes or comes moves no thread of the others."""
    key = f"{url}\n{thread_id}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=8).digest()
