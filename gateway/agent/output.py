"""The output of one run: its stream, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

from msgspec.structs import replace

import gateway_native.stream
from gateway.agent.cancellation import CancelToken
from gateway.agent.ending import Ending, ending_of_error
from gateway.agent.options import Encoding, Options
from gateway.agent.sink import EventStream, Sink, frozen
from gateway.errors import LimitError, RunCancelledError
from gateway.protocol.base import UNSET
from gateway.protocol.eras import PROTOCOL_VERSION, downgrade_for
from gateway.protocol.events import Event, RunFinished, RunStarted, ToolCallResult, ToolCallStart
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import AssistantMessage
from gateway.protocol.notices import Notice
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

    `observe_state` is called with each state event that goes out, whoever made it, and `observe`
    with each event that observers of runs hear of.
    """

    def __init__(self, input: RunAgentInput, options: Options) -> None:
        limits = options.limits
        self._input = input
        self._echo = options.echo_input
        self.stream = RunStream(
            Chain([factory() for factory in options.transformers]),
            Verifier(True, True, input.thread_id, input.run_id, _calls_in(input)),
            MODES[options.encoding],
            encode_proto,
            limits.max_events,
            limits.max_bytes,
            limits.max_pending,
        )
        self.stream.on_event = self._observe
        self.stream.reshape = downgrade_for(input.protocol_version, self._warn)
        self.sink: Sink = self.stream
        """Where the run writes."""
        self._events: EventStream | None = None
        if options.encoding == "events":
            self._events = EventStream(self.stream, limits)
            self.sink = self._events
        self.observe_state: Callable[[Event], None] = _nothing
        self.observe: Callable[[Event], None] | None = None
        self._unanswered: dict[str, None] = {}

    @property
    def ended(self) -> bool:
        """True once a terminal event has gone out."""
        return self.stream.ended

    def begin(self) -> None:
        """Emit RUN_STARTED; raises what a transformer does to it."""
        input = self._input
        echo = input if self._echo else UNSET
        self.stream.emit(
            RunStarted(input.thread_id, input.run_id, PROTOCOL_VERSION, input.parent_run_id, echo)
        )

    def take_bytes(self) -> bytes:
        """The bytes that wait, for a stream that is encoded."""
        chunk: bytes = self.stream.flush()
        return chunk

    def take_events(self) -> list[Event]:
        """The events that wait, for a stream that is not encoded."""
        if self._events is None:
            raise TypeError("this run is encoded: expected the encoding `events`")
        return self._events.take()

    def require_within_limits(self) -> None:
        """Raise LimitError if an event was refused for a limit, even if the agent ignored it."""
        if self.stream.refused and isinstance(self.stream.refusal, LimitError):
            raise self.stream.refusal

    def stop(self, token: CancelToken) -> None:
        """Refuse what the agent emits from now on, as its run was cancelled."""
        self.stream.stop(RunCancelledError(token.reason or "stopped"))

    def end(self, ending: Ending) -> None:
        """Close what is open and emit the terminal event.

        A terminal that the chain or the verifier refuses is replaced by a RUN_ERROR that says so.
        """
        self._close(ending.outcome is None)
        try:
            self.stream.end(self._frozen(self._terminal(ending)))
        except Exception as error:
            logger.exception("the terminal event of run %s was refused", self._input.run_id)
            self.stream.bypass_chain()
            self._close(True)
            refused = replace_usage(ending_of_error(error, False), ending)
            self.stream.end(refused.event(self._input))

    def _close(self, failed: bool) -> None:
        try:
            self.stream.close_open(failed)
        except Exception:
            logger.exception("what run %s left open was not closed", self._input.run_id)
            self.stream.bypass_chain()
            self.stream.close_open(failed)

    def _frozen(self, event: Event) -> Event:
        return event if self._events is None else frozen(event)[0]

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
        if self.observe is not None:
            self.observe(event)

    def _warn(self, notice: Notice) -> None:
        logger.warning("run %s: %s", self._input.run_id, notice.message)


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
