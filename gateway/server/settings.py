"""What an operator may set."""

from msgspec import Struct

from gateway.server.operations import Logs, Metrics, Tracing


class Settings(Struct, frozen=True, kw_only=True):
    """Limits of one gateway, shared by all its requests. Raises ValueError on nonsense.

    `max_body` is the largest request body in bytes (8 MiB). `keep_alive` is the silence in seconds
    after which an SSE stream gets a comment (15), 0 for never; proxies commonly cut a connection
    after 30 to 60 silent seconds. `metrics`, `logs` and `tracing` say how it is watched.
    """

    max_body: int = 8 * 1024 * 1024
    keep_alive: float = 15.0
    metrics: Metrics = Metrics()
    logs: Logs = Logs()
    tracing: Tracing = Tracing()

    def __post_init__(self) -> None:
        if self.max_body < 1:
            raise ValueError(f"max_body must be at least 1 byte, not {self.max_body}")
        if not 0 <= self.keep_alive < float("inf"):
            raise ValueError(f"keep_alive must be 0 or more seconds, not {self.keep_alive}")
