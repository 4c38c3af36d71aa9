"""Every error that the gateway raises on purpose.

GatewayError
├── OrderingError         an event breaks a rule of the protocol (rule, event_type, id)
├── FrameTooLargeError    a frame of an incoming stream exceeds the cap (limit)
├── DecodeError           bytes that are not what they should be: not JSON, not protobuf
│   └── TruncatedError    a stream or frame that stopped before its end
├── MalformedError        a known member holds a value that the protocol rejects (pointer)
├── EncodeError           an event that the chosen encoding cannot carry
├── PatchError            a patch that does not apply
├── AgentError            a failure that an agent lets the client read (message, code)
├── StateError            a state that does not fit the agent's state type
├── RunCancelledError     the run was cancelled (reason)
├── RefusedError          a request that gets an HTTP error instead of a stream (status, code)
└── ClientLeftError       a client that went away before it had sent its request
"""

from gateway_native.errors import FrameTooLargeError, GatewayError, OrderingError

__all__ = [
    "AgentError",
    "ClientLeftError",
    "DecodeError",
    "EncodeError",
    "FrameTooLargeError",
    "GatewayError",
    "MalformedError",
    "OrderingError",
    "PatchError",
    "RefusedError",
    "RunCancelledError",
    "StateError",
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


class RefusedError(GatewayError):
    """A request that gets an HTTP error instead of a stream.

    `status` is the HTTP status, `code` the upper snake case name that clients match on, `pointer`
    the JSON Pointer of the offending value in the body, `headers` what the answer carries besides.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        pointer: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.pointer = pointer
        self.headers = headers


class ClientLeftError(GatewayError):
    """The client closed the connection before it had sent its request; nobody reads an answer."""


class AgentError(GatewayError):
    """A failure that the client may read: RUN_ERROR carries `message` and `code` as given.

    Any other exception of an agent reaches the client as a generic message with AGENT_ERROR.
    """

    def __init__(self, message: str, code: str = "AGENT_ERROR") -> None:
        super().__init__(message)
        self.message = message or "the agent failed"
        self.code = code


class StateError(GatewayError):
    """The state of the input does not fit the agent's state type; `reason` says where."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RunCancelledError(GatewayError):
    """The run was cancelled; an agent should let this pass. `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the run was cancelled ({reason})")
        self.reason = reason
