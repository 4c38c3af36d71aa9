"""What the core raises; the whole tree is drawn in `gateway.errors`."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class GatewayError(Exception):
    """Base of every error that the gateway raises on purpose."""


class OrderingError(GatewayError):
    """An event that breaks a rule of the protocol; the verifier is unchanged by it.

    Attributes: `rule` (the name of the rule, as in the table of `verifier`), `event_type` (the wire
    name of the refused event), `id` (the message, call, step, subagent or run concerned, "" if
    none), `message` (the whole sentence).
    """

    def __init__(self, rule: str, event_type: str, id: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.event_type = event_type
        self.id = id
        self.message = message

    def __str__(self) -> str:
        return f"{self.rule}: {self.event_type}: {self.message}"


class FrameTooLargeError(GatewayError):
    """A frame of an incoming stream exceeds the size cap; `limit` is the cap in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a frame exceeds the limit of {limit} bytes")
        self.limit = limit


class TransformerError(GatewayError):
    """A transformer raised, or broke a rule that the events given to it did not break.

    Attributes: `transformer` (its class name; all of the chain, joined by ", ", when it cannot be
    told which one is to blame), `event_type` (the wire name of the event given to it, "" when the
    chain was asked for what it holds) and `cause` (what it raised, or the OrderingError of its
    output). The text of an exception may be confidential and stays in `cause`.
    """

    def __init__(self, transformer: str, event_type: str, cause: Exception) -> None:
        reason = f": {cause}" if isinstance(cause, OrderingError) else ""
        super().__init__(f"{transformer} failed at {event_type or 'the end of the run'}{reason}")
        self.transformer = transformer
        self.event_type = event_type
        self.cause = cause


class LimitError(GatewayError):
    """A run went beyond a bound; `limit` is its value and `unit` what it counts."""

    def __init__(self, limit: int, unit: str) -> None:
        super().__init__(f"the run exceeds its limit of {limit} {unit}")
        self.limit = limit
        self.unit = unit
