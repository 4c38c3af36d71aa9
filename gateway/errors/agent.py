"""Errors of agents and of what a run asks of them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from gateway_native.errors import GatewayError


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
