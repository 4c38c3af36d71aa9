"""Calls that leave the process for a run, to providers, tools and remote agents.

Whoever makes one wraps it in `outgoing` and sends the headers that it gives. Without a tracer that
is one look at a context variable; with one, the call gets a span and the headers are those of the
W3C trace context, so that the other side's spans hang below.

When a call to another AG-UI server is over, `report` tells whoever counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol

from msgspec import Struct

from gateway.agent.request import NO_HEADERS


class Call(Struct, frozen=True, kw_only=True):
    """One request to an upstream, for metrics and spans.

    `upstream` is its address without credentials and query; `code` is "" for a stream that came to
    its end, else the code of the fault, CANCELLED if it was given up from this side; `attempt`
    counts from 1. Times are seconds, `first_event` None if there was none.
    """

    upstream: str
    attempt: int
    code: str
    first_event: float | None
    seconds: float
    events: int
    bytes: int


class Caller(Protocol):
    """What watches the calls of one run."""

    def call(self, method: str, url: str, /) -> AbstractContextManager[Mapping[str, str]]:
        """Watch a call; an exception that leaves the context marks it as failed."""


CALLER: Final[ContextVar[Caller | None]] = ContextVar("caller", default=None)
"""Who watches the calls of the run that this task belongs to; set by an observer of runs."""

_UNWATCHED: Final = nullcontext(NO_HEADERS)


def outgoing(method: str, url: str) -> AbstractContextManager[Mapping[str, str]]:
    """The context of one call; gives the header fields to send along, none if nobody watches.

    `with outgoing("POST", url) as headers: await session.post(url, headers={**own, **headers})`
    """
    caller = CALLER.get()
    return _UNWATCHED if caller is None else caller.call(method, url)


CALL_COUNTER: Final[ContextVar[Callable[[Call], None] | None]] = ContextVar(
    "call_counter", default=None
)
"""Who counts the calls to other servers of the run that this task belongs to."""


def report(call: Call) -> None:
    """Tell of a call to another server that is over."""
    counter = CALL_COUNTER.get()
    if counter is not None:
        counter(call)
