"""What a run has produced, for the `on_end` hook of its agent.

It is folded from the very bytes that go to the client, so it holds what the client was promised:
after transformers, verification and the farewell of a run that was cut short. Only runs of agents
that have the hook pay for that.
"""

import inspect
import logging

from gateway.agent import Run
from gateway.agent.agent import EndHook
from gateway.errors import GatewayError
from gateway.protocol.base import UNSET
from gateway.protocol.outcomes import CancelledOutcome, InterruptOutcome
from gateway.protocol.pipeline import Pipeline
from gateway.protocol.proto import ProtoReader
from gateway.protocol.reader import EventReader
from gateway.protocol.reducer import Reducer
from gateway.protocol.sse import SseReader
from gateway.server.negotiation import Encoding

logger = logging.getLogger("gateway.server")


class Transcript:
    """Folds the chunks of a run into messages and state; `end` calls the hook."""

    def __init__(self, run: Run, encoding: Encoding, hook: EndHook) -> None:
        self._run = run
        self._hook = hook
        self._events: EventReader = SseReader() if encoding == "sse" else ProtoReader()
        self._pipeline = Pipeline("1.1")
        state = {} if run.input.state is UNSET else run.input.state
        self._reducer = Reducer(run.input.messages, state)
        self._broken = False

    def feed(self, chunk: bytes) -> None:
        """Fold the next chunk; what cannot be folded is logged and ends the transcript."""
        if self._broken:
            return
        try:
            for value in self._events.feed(chunk):
                for event in self._pipeline.feed(value):
                    self._reducer.feed(event)
        except GatewayError:
            self._broken = True
            logger.exception("the transcript of run %s is incomplete", self._run.input.run_id)

    async def end(self) -> None:
        """Tell the hook; what it raises is logged."""
        reducer = self._reducer
        try:
            told = self._hook(
                reason_of(self._run), reducer.messages, reducer.state, self._run.input
            )
            if inspect.isawaitable(told):
                await told
        except Exception:
            logger.exception("on_end failed for run %s", self._run.input.run_id)


def reason_of(run: Run) -> str:
    """Why a run ended: the table is at `EndHook`."""
    if run.token.reason is not None:
        return run.token.reason
    outcome = None if run.ending is None else run.ending.outcome
    if outcome is None:
        return "error"
    if isinstance(outcome.outcome, InterruptOutcome):
        return "interrupt"
    return "cancelled" if isinstance(outcome.outcome, CancelledOutcome) else "success"
