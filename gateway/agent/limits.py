"""Bounds of one run, in bytes, events and seconds."""

from msgspec import Struct

KIB = 1024
MIB = 1024 * KIB


class Limits(Struct, frozen=True, kw_only=True):
    """What one run may use; a run that goes beyond a bound ends with a code.

    `run_timeout`, `idle_timeout` (since the last event) and `first_event_timeout` are seconds, None
    for no limit, and end the run with TIMEOUT. `max_events` and `max_bytes` count what the run
    emits, `max_pending` the bytes that wait for a viewer of an agent that never drains; they end
    it with LIMIT_EXCEEDED. `high_water` is the number of pending bytes above which `drain` waits.
    `grace` is how many seconds an agent may go on after it was cancelled before it is abandoned.
    """

    run_timeout: float | None = None
    idle_timeout: float | None = None
    first_event_timeout: float | None = None
    max_events: int = 0
    max_bytes: int = 0
    max_pending: int = 16 * MIB
    high_water: int = 256 * KIB
    grace: float = 5.0
