"""What is known of one run from outside: who, when, how much, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from gateway.agent.backpressure import Backpressure
from gateway.agent.cancellation import CancelToken, Reason
from gateway.agent.request import Request
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, RunError, RunFinished
from gateway.protocol.input import RunAgentInput
from gateway.protocol.outcomes import (
    CancelledOutcome,
    InterruptOutcome,
    RunFinishedOutcome,
    SuccessOutcome,
)
from gateway_native.stream import RunStream

Result: TypeAlias = Literal["success", "interrupt", "cancelled", "error"]

RESULTS: Mapping[type[RunFinishedOutcome], Result] = MappingProxyType(
    {SuccessOutcome: "success", InterruptOutcome: "interrupt", CancelledOutcome: "cancelled"}
)


class RunRecord:
    """One run; `agent` is the name under which it is served.

    `result` and `code` come from the terminal event that went out: the type of the outcome, or
    `error` with its code, which an agent may have chosen. `reason` says why the run was cancelled,
    None if it was not. `duration` is how long it took until its agent was left, in seconds.
    """

    __slots__ = (
        "_backpressure",
        "_began",
        "_stream",
        "_token",
        "agent",
        "code",
        "duration",
        "ended",
        "input",
        "reason",
        "request",
        "result",
    )

    def __init__(
        self,
        agent: str,
        input: RunAgentInput,
        request: Request,
        token: CancelToken,
        stream: RunStream,
        backpressure: Backpressure,
    ) -> None:
        self.agent = agent
        self.input = input
        self.request = request
        self.result: Result = "error"
        self.code = ""
        self.reason: Reason | None = None
        self.duration = 0.0
        self.ended = False
        self._token = token
        self._stream = stream
        self._backpressure = backpressure
        self._began = 0.0

    @property
    def run_id(self) -> str:
        return self.input.run_id

    @property
    def thread_id(self) -> str:
        return self.input.thread_id

    @property
    def events(self) -> int:
        """Events accepted so far."""
        return self._stream.events

    @property
    def bytes(self) -> int:
        """Bytes encoded so far; 0 for a run whose events are taken as Structs."""
        return self._stream.total_bytes

    @property
    def violations(self) -> Mapping[str, int]:
        """How often the agent broke each rule of order, whether it caught the error or not."""
        return self._stream.violations

    @property
    def first_event(self) -> float | None:
        """Seconds until the reader took what followed RUN_STARTED; None if nothing did."""
        taken = self._backpressure.first_taken
        return None if taken is None else taken - self._began

    def begin(self) -> None:
        """The run starts."""
        self._began = time.monotonic()

    def hear(self, event: Event) -> None:
        """A watched event has gone out; the terminal one says how the run ended."""
        if type(event) is RunFinished:
            self.result = "success" if event.outcome is UNSET else RESULTS[type(event.outcome)]
        elif type(event) is RunError:
            self.code = "" if event.code is UNSET else event.code
        else:
            return
        self.reason = self._token.reason
        if self.reason in ("client-left", "stopped"):  # older clients are told otherwise
            self.result, self.code = "cancelled", ""

    def end(self) -> bool:
        """The run is over; False if that was known."""
        if self.ended:
            return False
        self.ended = True
        self.duration = time.monotonic() - self._began
        return True
