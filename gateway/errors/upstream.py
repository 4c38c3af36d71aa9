"""Errors of whoever reads events from another server."""

from typing import ClassVar

from gateway_native.errors import GatewayError


class UpstreamError(GatewayError):
    """A server that events are read from has failed; `code` is what a viewer is told.

    The text is fit for viewers: it names no address and quotes nothing of the answer. Notes carry
    the address, without credentials and query, for whoever sees the traceback.
    """

    code: ClassVar[str] = "UPSTREAM_ERROR"


class UnreachableError(UpstreamError):
    """No connection could be made, or it broke before the answer began; `reason` says how."""

    code: ClassVar[str] = "UPSTREAM_UNREACHABLE"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the server cannot be reached: {reason}")
        self.reason = reason


class AnswerError(UpstreamError):
    """An HTTP status other than 2xx.

    `body` is the beginning of the answer as text, `retry_after` the seconds that the server asks
    to wait, None if it does not.
    """

    code: ClassVar[str] = "UPSTREAM_STATUS"

    def __init__(self, status: int, body: str = "", retry_after: float | None = None) -> None:
        super().__init__(f"the server answered with HTTP status {status}")
        self.status = status
        self.body = body
        self.retry_after = retry_after


class TruncatedRunError(UpstreamError):
    """The stream ended without a terminal event: the run is neither done nor failed."""

    code: ClassVar[str] = "UPSTREAM_TRUNCATED"

    def __init__(self, reason: str = "the stream ended without a terminal event") -> None:
        super().__init__(reason)
        self.reason = reason


class NotAStreamError(TruncatedRunError):
    """A successful answer that holds no events, such as a page; `media_type` is what it claims."""

    code: ClassVar[str] = "UPSTREAM_NO_STREAM"

    def __init__(self, media_type: str) -> None:
        super().__init__(f"the answer is no event stream, its type is {media_type[:80]!r}")
        self.media_type = media_type


class ViolationError(UpstreamError):
    """An event of the stream breaks a rule of the protocol; what came before it was in order.

    `rule` is a rule of the verifier, or `malformed` or `undecodable`; `event_type` may be "";
    `index` counts the events of the stream from 0; the cause is `__cause__`.
    """

    code: ClassVar[str] = "UPSTREAM_VIOLATION"

    def __init__(self, rule: str, event_type: str, index: int, reason: str) -> None:
        name = f" ({event_type})" if event_type else ""
        super().__init__(f"event {index}{name} breaks the rule {rule}: {reason}")
        self.rule = rule
        self.event_type = event_type
        self.index = index


class SilenceError(UpstreamError):
    """Nothing came for `seconds`, or the run took longer than that; `what` was waited for."""

    code: ClassVar[str] = "UPSTREAM_TIMEOUT"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not come within {seconds:g} s")
        self.what = what
        self.seconds = seconds


class ExcessError(UpstreamError):
    """More came than a bound allows; `limit` is its value and `unit` what it counts."""

    code: ClassVar[str] = "UPSTREAM_LIMIT"

    def __init__(self, limit: int, unit: str) -> None:
        super().__init__(f"the stream exceeds the limit of {limit} {unit}")
        self.limit = limit
        self.unit = unit


class UnavailableError(UpstreamError):
    """No server was asked, since each has failed lately; `retry_after` is in seconds."""

    code: ClassVar[str] = "UPSTREAM_UNAVAILABLE"

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"no server is available; the next try is in {retry_after:.0f} s")
        self.retry_after = retry_after


class InterruptError(GatewayError):
    """An input that may not be sent: it leaves interrupts `ids` unanswered, or answers too late.

    Spec: `docs/spec/1.1/basic/patterns/interrupt-resume.mdx`.
    """

    def __init__(self, reason: str, ids: list[str]) -> None:
        super().__init__(f"{reason}: {', '.join(ids)}")
        self.ids = ids


class RunFailedError(GatewayError):
    """The agent ended its run with RUN_ERROR; `code` is "" if it gave none."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(f"{message} ({code})" if code else message)
        self.message = message
        self.code = code
