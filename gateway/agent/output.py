"""The output of one run: its stream, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

from msgspec.structs import replace

import gateway_native.stream
from gateway.agent.cancellation import CancelToken
from gateway.agent.ending import Ending, ending_of_error
from gateway.agent.options import Encoding, Options
from gateway.errors import GatewayError, RunCancelledError
from gateway.protocol.base import UNSET
from gateway.protocol.eras import downgrade_for
from gateway.protocol.events import Event, RunFinished, ToolCallResult, ToolCallStart
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import AssistantMessage
from gateway.protocol.outcomes import SuccessOutcome
from gateway.protocol.proto import encode_proto
from gateway_native.chain import Chain
from gateway_native.stream import RunStream
from gateway_native.verifier import Verifier

logger = logging.getLogger("gateway.agent")

MODES: dict[Encoding, int] = {
    "sse": gateway_native.stream.SSE,
    "protobuf": gateway_native.stream.FRAMES,
    "events": gateway_native.stream.EVENTS,
}


class Output:
    """Builds the stream of a run and ends it exactly once.

    `observe_state` is called with each state event that goes out, whoever made it. With `relays`
    the stream of another server is passed on, which is judged by the rules of consumers.
    """

    def __init__(self, input: RunAgentInput, options: Options, relays: bool = False) -> None:
        limits = options.limits
        self._verifier = Verifier(not relays, True, input.thread_id, input.run_id, _calls_in(input))
        self.stream = RunStream(
            Chain([factory() for factory in options.transformers]),
            self._verifier,
            MODES[options.encoding],
            encode_proto,
            limits.max_events,
            limits.max_bytes,
            limits.max_pending,
        )
        self.stream.on_event = self._observe
        self.stream.reshape = downgrade_for(input.protocol_version)
        self.observe_state: Callable[[Event], None] = _nothing
        self._input = input
        self._unanswered: dict[str, None] = {}

    @property
    def began(self) -> bool:
        """True once a run has begun on the stream."""
        return self._verifier.active or self._verifier.ended

    @property
    def ended(self) -> bool:
        """True once a terminal event has gone out."""
        return self.stream.ended

    def stop(self, token: CancelToken) -> None:
        """Refuse what the agent emits from now on, as its run was cancelled."""
        self.stream.stop(RunCancelledError(token.reason or "stopped"))

    def end(self, ending: Ending) -> None:
        """Close what is open and emit the terminal event; never raises.

        A terminal that the chain or the verifier refuses is replaced by a RUN_ERROR that says so.
        """
        self._close(ending.outcome is None)
        try:
            self.stream.end(self._terminal(ending))
        except GatewayError as error:
            logger.error("the terminal event was refused: %s", error)
            self.stream.bypass_chain()
            self.stream.end(replace_usage(ending_of_error(error, False), ending).event(self._input))

    def _close(self, failed: bool) -> None:
        try:
            self.stream.close_open(failed)
        except GatewayError:
            logger.exception("closing what was open failed")

    def _terminal(self, ending: Ending) -> Event:
        event = ending.event(self._input)
        if isinstance(event, RunFinished) and isinstance(event.outcome, SuccessOutcome):
            return replace(event, outcome=self._with_pending_calls(event.outcome))
        return event

    def _with_pending_calls(self, outcome: SuccessOutcome) -> SuccessOutcome:
        """Name the calls left to the front end, as spec events/tool-calls asks."""
        if outcome.pending_tool_call_ids is not UNSET or not self._unanswered:
            return outcome
        return SuccessOutcome(list(self._unanswered))

    def _observe(self, event: Event) -> None:
        if isinstance(event, ToolCallStart):
            self._unanswered[event.tool_call_id] = None
        elif isinstance(event, ToolCallResult):
            self._unanswered.pop(event.tool_call_id, None)
        else:
            self.observe_state(event)


def replace_usage(ending: Ending, source: Ending) -> Ending:
    """`ending` with the usage of `source`."""
    return Ending(message=ending.message, code=ending.code, usage=source.usage)


def _nothing(event: Event) -> None:
    """Nobody holds a state."""


def _calls_in(input: RunAgentInput) -> list[str]:
    return [
        call.id
        for message in input.messages
        if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET
        for call in message.tool_calls
    ]
