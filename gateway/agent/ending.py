"""How a run ends: as an outcome, or as an error with a code."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from gateway.agent.cancellation import CancelToken
from gateway.agent.outcome import RunOutcome
from gateway.errors import (
    AgentError,
    DecodeError,
    EncodeError,
    MalformedError,
    OrderingError,
    RunCancelledError,
    StateError,
    UpstreamError,
)
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, RunError, RunFinished
from gateway.protocol.input import RunAgentInput
from gateway.protocol.usage import TokenUsage, add_usage
from gateway_native.errors import LimitError, TransformerError

GENERIC = "the agent failed"


@dataclass(frozen=True, slots=True)
class Ending:
    """Either an outcome, or a message with a code; and the usage of the run."""

    outcome: RunOutcome | None = None
    message: str = ""
    code: str = ""
    usage: list[TokenUsage] = field(default_factory=list)

    def with_usage(self, usages: list[TokenUsage]) -> Ending:
        """The same ending, with the sums of `usages` by provider and model."""
        return replace(self, usage=add_usage(usages)) if usages else self

    def event(self, input: RunAgentInput) -> Event:
        """The terminal event."""
        usage = self.usage or UNSET
        if self.outcome is None:
            return RunError(self.message or GENERIC, self.code, usage)
        return RunFinished(
            input.thread_id, input.run_id, self.outcome.result, self.outcome.outcome, usage
        )


def ending_of_cancellation(token: CancelToken) -> Ending:
    """How a cancelled run ends; the table is in `gateway.agent.cancellation`."""
    if token.reason == "deadline":
        return Ending(message=token.detail or "the run took too long", code="TIMEOUT")
    if token.reason == "shutdown":
        return Ending(message=token.detail or "the server shuts down", code="SHUTTING_DOWN")
    return Ending(outcome=RunOutcome.cancelled())


def ending_of_error(error: BaseException, expose: bool) -> Ending:
    """How a run ends that an exception ended; unexpected texts stay inside unless `expose`."""
    if isinstance(error, AgentError):
        return Ending(message=error.message, code=error.code)
    if isinstance(error, UpstreamError):
        return Ending(message=str(error), code=error.code)
    for kind, code in CODES.items():
        if isinstance(error, kind):
            return Ending(message=str(error), code=code)
    text = f"{type(error).__name__}: {error}" if expose else GENERIC
    return Ending(message=text, code="AGENT_ERROR")


CODES: dict[type[BaseException], str] = {
    OrderingError: "PROTOCOL_VIOLATION",
    MalformedError: "PROTOCOL_VIOLATION",
    TransformerError: "TRANSFORMER_ERROR",
    LimitError: "LIMIT_EXCEEDED",
    StateError: "SERIALIZATION",
    DecodeError: "SERIALIZATION",
    EncodeError: "SERIALIZATION",
    RunCancelledError: "CANCELLED",
    asyncio.CancelledError: "CANCELLED",
}
