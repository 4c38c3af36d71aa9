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

from gateway.errors.agent import (
    PROVIDER_CODES,
    AgentError,
    ProviderError,
    ProviderErrorKind,
    ResumeError,
    RunCancelledError,
    StateError,
)
from gateway.errors.codes import CODES
from gateway.errors.serving import (
    ClientLeftError,
    ConfigurationError,
    RefusedError,
)
from gateway.errors.upstream import (
    AnswerError,
    ExcessError,
    InterruptError,
    NotAStreamError,
    RunFailedError,
    SilenceError,
    TruncatedRunError,
    UnavailableError,
    UnreachableError,
    UpstreamError,
    ViolationError,
)
from gateway.errors.wire import (
    DecodeError,
    EncodeError,
    MalformedError,
    PatchError,
    TruncatedError,
)
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
