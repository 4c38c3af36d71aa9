"""What an operator may set.

`Settings` and its sections describe one gateway, whoever hosts it; the command line reads them from
files and variables by their names and types, so a new section or member needs no further code.
"""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=604800)]
"""A duration of up to a week."""

Count: TypeAlias = Annotated[int, Meta(ge=1)]
"""How many, at least one."""


def _require_duration(name: str, value: float) -> None:
    if not 0 <= value < float("inf"):
        raise ValueError(f"{name} must be 0 or more seconds, not {value}")


class Shutdown(Struct, frozen=True, kw_only=True):
    """How a gateway goes down. Raises ValueError on nonsense.

    New runs are refused with 503 from the start, open ones get `grace` seconds (20) before they are
    ended. `delay` is how long to go on answering at least (0), for load balancers that need a
    while to notice. `reload_grace` is how long runs may go on in a worker that a reload has
    replaced (300).
    """

    grace: Seconds = 20.0
    delay: Seconds = 0.0
    reload_grace: Seconds = 300.0

    def __post_init__(self) -> None:
        for name in ("grace", "delay", "reload_grace"):
            _require_duration(name, getattr(self, name))


class Settings(Struct, frozen=True, kw_only=True):
    """Limits of one gateway, shared by all its requests. Raises ValueError on nonsense.

    `max_body` is the largest request body in bytes (8 MiB). `keep_alive` is the silence in seconds
    after which an SSE stream gets a comment (15), 0 for never; proxies commonly cut a connection
    after 30 to 60 silent seconds. `shutdown` is how it goes down.
    """

    max_body: Count = 8 * 1024 * 1024
    keep_alive: Seconds = 15.0
    shutdown: Shutdown = Shutdown()

    def __post_init__(self) -> None:
        if self.max_body < 1:
            raise ValueError(f"max_body must be at least 1 byte, not {self.max_body}")
        _require_duration("keep_alive", self.keep_alive)
