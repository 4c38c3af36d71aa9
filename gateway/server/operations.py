"""What an operator may set about watching the gateway: metrics, logs and traces."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

LogFormat: TypeAlias = Literal["console", "json"]
LogLevel: TypeAlias = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class Metrics(Struct, frozen=True, kw_only=True):
    """`GET /metrics` for Prometheus (extra `metrics`).

    `enabled` is true, false, or absent for "if the extra is installed". `key_sha256` is the
    lower-case hex digest of a key that scrapers must bring as `Authorization: Bearer KEY`, as
    `printf %s KEY | sha256sum` prints it; without one everybody may read.
    """

    enabled: bool | None = None
    key_sha256: str = ""

    def __post_init__(self) -> None:
        digest = self.key_sha256
        if digest and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
            raise ValueError("key_sha256 must be 64 lower-case hex digits, the digest of a key")


class Logs(Struct, frozen=True, kw_only=True):
    """Lines for people (`console`) or one JSON object each (`json`), on standard error."""

    format: LogFormat = "console"
    level: LogLevel = "INFO"


class Tracing(Struct, frozen=True, kw_only=True):
    """OpenTelemetry spans (extra `otel`), off unless `enabled`.

    Where they go, as what service, and which share of them is set by the `OTEL_*` variables of the
    OpenTelemetry SDK; an application that has set a tracer provider of its own keeps it.
    """

    enabled: bool = False
