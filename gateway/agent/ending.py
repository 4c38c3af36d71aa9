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
    LimitError,
    MalformedError,
    OrderingError,
    PatchError,
    RefusedError,
    ResumeError,
    RunCancelledError,
    StateError,
    TransformerError,
)
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, RunError, RunFinished
from gateway.protocol.input import RunAgentInput
from gateway.protocol.usage import TokenUsage, add_usage

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
    """How a run ends that an exception ended; unexpected texts stay inside unless `expose`.

    An exception group that holds nothing but one exception counts as that exception.
    """
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if isinstance(error, AgentError | RefusedError):
        return Ending(message=error.message, code=error.code)
    if isinstance(error, TransformerError) and not expose:
        return Ending(message=_of_transformer(error), code="TRANSFORMER_ERROR")
    for kind, code in CODE_OF.items():
        if isinstance(error, kind):
            return Ending(message=str(error), code=code)
    text = f"{type(error).__name__}: {error}" if expose else GENERIC
    return Ending(message=text, code="AGENT_ERROR")


def _of_transformer(error: TransformerError) -> str:
    """Which transformer failed where; why may be confidential."""
    place = error.event_type or "the end of the run"
    return f"{error.transformer or 'a transformer'} failed at {place}"


CODE_OF: dict[type[BaseException], str] = {
    OrderingError: "PROTOCOL_VIOLATION",
    PatchError: "PROTOCOL_VIOLATION",
    MalformedError: "PROTOCOL",
    TransformerError: "TRANSFORMER_ERROR",
    LimitError: "LIMIT_EXCEEDED",
    StateError: "SERIALIZATION",
    DecodeError: "SERIALIZATION",
    EncodeError: "SERIALIZATION",
    ResumeError: "INVALID_REQUEST",
    RunCancelledError: "CANCELLED",
    asyncio.CancelledError: "CANCELLED",
}
"""The code of each exception whose text the client may read; all of them stand in `CODES`."""
