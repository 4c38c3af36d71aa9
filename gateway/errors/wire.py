"""Errors of what goes over the wire: bytes, values, patches."""

from gateway_native.errors import GatewayError


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


class PatchError(GatewayError):
    """A JSON Patch that cannot be applied; `index` is the operation's, `reason` says why."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"operation {index}: {reason}")
        self.index = index
        self.reason = reason


class EncodeError(GatewayError):
    """An event that the chosen encoding cannot carry; `reason` names the member."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
