"""Every error that the gateway raises on purpose.

GatewayError
├── OrderingError         an event breaks a rule of the protocol (rule, event_type, id)
├── TransformerError      a transformer failed or produced what the protocol forbids (cause)
├── FrameTooLargeError    a frame of an incoming stream exceeds the cap (limit)
├── DecodeError           bytes that are not what they should be: not JSON, not protobuf
│   └── TruncatedError    a stream or frame that stopped before its end
├── MalformedError        a known member holds a value that the protocol rejects (pointer)
└── EncodeError           an event that the chosen encoding cannot carry
"""

from gateway_native.errors import (
    FrameTooLargeError,
    GatewayError,
    OrderingError,
    TransformerError,
)

__all__ = [
    "DecodeError",
    "EncodeError",
    "FrameTooLargeError",
    "GatewayError",
    "MalformedError",
    "OrderingError",
    "TransformerError",
    "TruncatedError",
]


class DecodeError(GatewayError):
    """Bytes that cannot be decoded at all; `reason` says what is wrong and, if known, where."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TruncatedError(DecodeError):
    """Input that ended before it was complete."""


class MalformedError(GatewayError):
    """A member that the protocol describes holds a value that it rejects.

    `pointer` is the JSON Pointer (RFC 6901) of the value, `expected` what should stand there, and
    `found` what does, shortened.
    """

    def __init__(self, pointer: str, expected: str, found: str) -> None:
        super().__init__(f"{pointer or '/'}: expected {expected}, found {found}")
        self.pointer = pointer
        self.expected = expected
        self.found = found


class EncodeError(GatewayError):
    """An event that the chosen encoding cannot carry; `reason` names the member."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
