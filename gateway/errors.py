"""Every error that the gateway raises on purpose, and every code that a RUN_ERROR carries.

GatewayError
├── OrderingError         an event breaks a rule of the protocol (rule, event_type, id)
├── TransformerError      a transformer raised, or broke a rule (transformer, cause)
├── LimitError            a run went beyond a bound (limit, unit)
├── FrameTooLargeError    a frame of an incoming stream exceeds the cap (limit)
├── DecodeError           bytes that are not what they should be: not JSON, not protobuf
│   └── TruncatedError    a stream or frame that stopped before its end
├── MalformedError        a known member holds a value that the protocol rejects (pointer)
├── PatchError            a JSON Patch that cannot be applied (index)
├── EncodeError           an event that the chosen encoding cannot carry
├── AgentError            an agent's own failure, told to the client (code)
│   └── ProviderError     an LLM provider failed (kind, provider, status, partial, ...)
├── StateError            the state of the input does not fit the agent's type
├── ResumeError           an answer to an interrupt that cannot be accepted (interrupt_id)
├── RunCancelledError     raised by whatever an agent emits after its run was cancelled
├── UpstreamError         a server that events are read from has failed (code)
│   ├── UnreachableError      no connection, or one that broke before an answer
│   ├── AnswerError           an HTTP status other than 2xx (status, body, retry_after)
│   ├── TruncatedRunError     a stream that ended without a terminal event
│   │   └── NotAStreamError       an answer that is no event stream (media_type)
│   ├── ViolationError        an event that breaks a rule (rule, event_type, index)
│   ├── SilenceError          nothing came for too long (seconds)
│   ├── ExcessError           more came than a bound allows (limit, unit)
│   └── UnavailableError      every server of an agent is shunned after failures
├── InterruptError        an input that leaves a pending interrupt open (ids)
├── RunFailedError        the agent's own RUN_ERROR, where a value was asked for (code)
├── RefusedError          a request that gets an HTTP error instead of a stream (status, code)
├── ClientLeftError       a client that went away before it had sent its request
└── ConfigurationError    a setting that cannot be used (key, place, reason)

A failure after the stream has started reaches the client as RUN_ERROR with one of `CODES`; an agent
may add codes of its own by `AgentError`; `PROVIDER_CODES` says which a provider's failure has.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, TypeAlias

from gateway_native.errors import (
    FrameTooLargeError,
    GatewayError,
    LimitError,
    OrderingError,
    TransformerError,
)

__all__ = [
    "CODES",
    "PROVIDER_CODES",
    "AgentError",
    "AnswerError",
    "ClientLeftError",
    "ConfigurationError",
    "DecodeError",
    "EncodeError",
    "ExcessError",
    "FrameTooLargeError",
    "GatewayError",
    "InterruptError",
    "LimitError",
    "MalformedError",
    "NotAStreamError",
    "OrderingError",
    "PatchError",
    "ProviderError",
    "ProviderErrorKind",
    "RefusedError",
    "ResumeError",
    "RunCancelledError",
    "RunFailedError",
    "SilenceError",
    "StateError",
    "TransformerError",
    "TruncatedError",
    "TruncatedRunError",
    "UnavailableError",
    "UnreachableError",
    "UpstreamError",
    "ViolationError",
]

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AGENT_ERROR": "the agent raised; the text goes to the log only",
        "BUDGET_EXCEEDED": "the run used up the tokens or the money it may use",
        "CANCELLED": "the agent gave up, as something that it waited for was cancelled",
        "CONTENT_FILTER": "a provider refused the content",
        "CONTEXT_LENGTH": "the conversation is too long for the model",
        "DISCONNECTED": "the client left; seen in logs only",
        "INTERNAL_ERROR": "a fault of the gateway itself",
        "INVALID_REQUEST": "the input cannot be worked with, as an answer that fits no question",
        "LIMIT_EXCEEDED": "a bound on the events or bytes of a run",
        "MAX_STEPS": "the agent went through as many steps as it may",
        "OVERLOADED": "there is no room for another run now",
        "OWNER_LOST": "the process that held the run is gone",
        "PROTOCOL": "an event or an outcome holds a value that the protocol rejects",
        "PROTOCOL_VIOLATION": "an event breaks a rule of order, or a delta applies to nothing",
        "PROVIDER_AUTH": "a provider did not accept the credentials",
        "PROVIDER_ERROR": "a provider failed",
        "PROVIDER_TIMEOUT": "a provider did not answer in time",
        "PROVIDER_TRUNCATED": "a provider's answer broke off",
        "RATE_LIMITED": "too many requests, here or at a provider",
        "SERIALIZATION": "state, arguments or results that cannot be decoded or encoded",
        "SHUTTING_DOWN": "the process goes down",
        "TIMEOUT": "a time limit of the run",
        "TRANSFORMER_ERROR": "a transformer raised or broke a rule",
        "UPSTREAM_LIMIT": "a remote agent sent more than it may",
        "UPSTREAM_NO_STREAM": "a remote agent's server answered with something else than a stream",
        "UPSTREAM_STATUS": "a remote agent's server answered with an HTTP error",
        "UPSTREAM_TIMEOUT": "a remote agent was silent for too long",
        "UPSTREAM_TRUNCATED": "a remote agent's stream broke off",
        "UPSTREAM_UNAVAILABLE": "every server of a remote agent has failed lately",
        "UPSTREAM_UNREACHABLE": "no connection to a remote agent could be made",
        "UPSTREAM_VIOLATION": "a remote agent broke a rule of the protocol",
    }
)
"""Every code that the gateway puts on a RUN_ERROR, with what it means."""


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


class AgentError(GatewayError):
    """A failure that the client may read: RUN_ERROR carries `message` and `code` as given.

    `code` is one of `CODES` or an upper snake case name of your own. Any other exception of an
    agent reaches the client as a generic message with AGENT_ERROR.
    """

    def __init__(self, message: str, code: str = "AGENT_ERROR") -> None:
        self.message = message or "the agent failed"
        super().__init__(self.message)
        self.code = code or "AGENT_ERROR"


ProviderErrorKind: TypeAlias = Literal[
    "network",
    "timeout",
    "rate_limited",
    "auth",
    "context_length",
    "invalid_request",
    "overloaded",
    "server",
    "malformed_response",
]

PROVIDER_CODES: Final[Mapping[ProviderErrorKind, str]] = MappingProxyType(
    {
        "network": "PROVIDER_ERROR",
        "timeout": "PROVIDER_TIMEOUT",
        "rate_limited": "RATE_LIMITED",
        "auth": "PROVIDER_AUTH",
        "context_length": "CONTEXT_LENGTH",
        "invalid_request": "INVALID_REQUEST",
        "overloaded": "OVERLOADED",
        "server": "PROVIDER_ERROR",
        "malformed_response": "PROVIDER_ERROR",
    }
)
"""The code of RUN_ERROR for each kind of provider failure; PROVIDER_TRUNCATED is a network one."""


class ProviderError(AgentError):
    """An LLM provider failed or refused a request; `reason` is short and free of secrets.

    `kind` is what callers decide by. `status` is the HTTP status, or the one that an error inside a
    200 body names; `provider_code` the provider's own word. `is_retryable` says whether the same
    request may succeed later, `retry_after` (seconds) how long the provider wants to be left alone.
    `partial` is the `Completion` of what came before the failure, None if nothing did.
    """

    def __init__(
        self,
        kind: ProviderErrorKind,
        provider: str,
        reason: str,
        *,
        status: int | None = None,
        is_retryable: bool = False,
        retry_after: float | None = None,
        provider_code: str | int | None = None,
        request_id: str | None = None,
        partial: Any = None,
        code: str | None = None,
    ) -> None:
        where = f"{provider} ({status})" if status else provider
        super().__init__(f"{where}: {reason}", code or PROVIDER_CODES[kind])
        self.kind = kind
        self.provider = provider
        self.reason = reason
        self.status = status
        self.is_retryable = is_retryable
        self.retry_after = retry_after
        self.provider_code = provider_code
        self.request_id = request_id
        self.partial = partial

    @property
    def is_client_error(self) -> bool:
        """The status is 400 to 499: the request has to change, or the caller has to wait."""
        return self.status is not None and 400 <= self.status < 500


class StateError(GatewayError):
    """The state of the input does not fit the agent's state type; `reason` says where."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ResumeError(GatewayError):
    """An answer to an interrupt that cannot be accepted; `reason` says why, without quoting it."""

    def __init__(self, interrupt_id: str, reason: str) -> None:
        super().__init__(f"the answer to interrupt {interrupt_id!r} {reason}")
        self.interrupt_id = interrupt_id
        self.reason = reason


class RunCancelledError(GatewayError):
    """The run was cancelled; an agent should let this pass. `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the run was cancelled ({reason})")
        self.reason = reason


class RefusedError(GatewayError):
    """A request that gets an HTTP error instead of a stream.

    An agent may raise it too: before anything was sent it becomes the answer (see `may_refuse` of
    `Agent`), afterwards a RUN_ERROR with its code and message.
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


class ConfigurationError(GatewayError):
    """A setting that cannot be used.

    `key` is its dotted name, `place` the file, variable or option that it came from, empty when it
    came from nowhere, `reason` what is allowed there.
    """

    def __init__(self, key: str, place: str, reason: str) -> None:
        where = f"{key} in {place}" if key and place else key or place
        super().__init__(f"{where}: {reason}" if where else reason)
        self.key = key
        self.place = place
        self.reason = reason


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
