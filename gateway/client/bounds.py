"""Bounds of one incoming stream, in bytes, events and seconds."""

from msgspec import Struct

from gateway_native.splitter import MAX_FRAME


class Bounds(Struct, frozen=True, kw_only=True):
    """What one stream may cost; beyond a bound it is given up with a typed error.

    Times are seconds, None for no limit: `connect` until a connection stands, `first_event` until
    the first event, `idle` between two pieces of the stream (comments count as life), `total` for
    the run, `linger` until the end of the stream behind the terminal event, which is then taken for
    the end. `frame` bounds one frame in bytes, `events` and `bytes` the stream, 0 for no limit;
    bytes are counted after decompression. Raises ValueError on nonsense.
    """

    connect: float | None = 10.0
    first_event: float | None = 120.0
    idle: float | None = 120.0
    total: float | None = None
    linger: float = 2.0
    frame: int = MAX_FRAME
    events: int = 0
    bytes: int = 0

    def __post_init__(self) -> None:
        for name in ("connect", "first_event", "idle", "total", "linger"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} must be more than 0 seconds or None, not {seconds}")
        if self.frame < 1 or self.events < 0 or self.bytes < 0:
            raise ValueError("frame must be at least 1 byte, events and bytes not negative")
