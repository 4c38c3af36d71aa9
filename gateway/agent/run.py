"""One run: an agent, its input, and the stream that comes out.

A run has a task of its own, which belongs to whoever started the run and not to a response. The
stream begins with RUN_STARTED and ends with exactly one terminal event, whatever the agent does:
returns, raises, emits its own terminal, is cancelled before or while it runs, or ignores
cancellation, in which case it is abandoned after the grace period. What is open is closed first,
innermost first. An agent that goes on after its own terminal event has the grace period, too.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from gateway.agent.agent import AnyAgent, name_of, state_type_of
from gateway.agent.backpressure import Backpressure
from gateway.agent.cancellation import CancelToken, Reason
from gateway.agent.context import RunContext
from gateway.agent.deadlines import Deadlines
from gateway.agent.ending import Ending, ending_of_cancellation, ending_of_error
from gateway.agent.observer import Observed
from gateway.agent.options import Options
from gateway.agent.outcome import RunOutcome
from gateway.agent.output import Output
from gateway.agent.performance import perform
from gateway.agent.record import RunRecord
from gateway.agent.state import StatePublisher, decode_state
from gateway.errors import (
    GatewayError,
    RefusedError,
    ResumeError,
    RunCancelledError,
    StateError,
)
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput

logger = logging.getLogger("gateway.agent")


class Run:
    """Runs `agent` on `input`; `read` and `read_events` give what comes out.

    Start it with `start`, read until the end, and await `closed`; leaving early goes through
    `cancel`. A run is used once and by one reader. `ending` says how it ended, None before, and
    when the agent emitted its own terminal event.
    """

    def __init__(
        self,
        agent: AnyAgent,
        input: RunAgentInput,
        options: Options = Options(),
        token: CancelToken | None = None,
    ) -> None:
        self.agent = agent
        self.input = input
        self.options = options
        self.token = CancelToken() if token is None else token
        self.ending: Ending | None = None
        self.refusal: RefusedError | None = None
        """What the agent raised to refuse the run; it may still become an HTTP status."""
        self._output = Output(input, options)
        self._backpressure = Backpressure(self._output.sink, options.limits.high_water)
        self._publisher: StatePublisher[Any] = StatePublisher(self._output.sink, None, input.state)
        self._output.observe_state = self._publisher.observe
        self._deadlines: Deadlines | None = None
        self._observed = self._observe() if options.observers else None
        self._task: asyncio.Task[None] | None = None
        self._forget_token: Any = None
        self._grace: asyncio.TimerHandle | None = None
        self._closed = asyncio.Event()

    def start(self) -> None:
        """Create the run's task; the first event is there at once."""
        self._deadlines = Deadlines(self.options.limits, self._output.sink, self.token)
        self._output.stream.on_pending = self._pending
        context = None if self._observed is None else self._observed.begin()
        try:
            self._output.begin()
        except GatewayError as error:
            self._log(error)
            self._close(ending_of_error(error, self.options.expose_errors))
            return
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._main(), name="run", context=context)
        self._task.add_done_callback(self._finished)
        self._deadlines.set()
        self._forget_token = self.token.on_cancel(self._interrupt)

    def cancel(self, reason: Reason = "stopped", detail: str = "") -> None:
        """Stop the run; the reason decides how its stream ends. A second time does nothing."""
        self.token.cancel(reason, detail)

    async def read(self) -> bytes:
        """The bytes that are pending, as soon as there are any; `b""` after the end."""
        while waiting := self._backpressure.waiting():
            await waiting
        chunk = self._output.take_bytes()
        self._taken(bool(chunk))
        return chunk

    async def read_events(self) -> list[Event]:
        """The events that are pending, as soon as there are any; `[]` after the end."""
        while waiting := self._backpressure.waiting():
            await waiting
        events = self._output.take_events()
        self._taken(bool(events))
        return events

    async def closed(self) -> None:
        """Wait until the run has ended and its agent has been left (or abandoned)."""
        await self._closed.wait()

    async def _main(self) -> None:
        self._end(await self._ending())

    async def _ending(self) -> Ending:
        ctx: RunContext[Any] | None = None
        try:
            ctx = self._context()
            outcome = await perform(self.agent, ctx)
            self._output.require_within_limits()
            ending = Ending(outcome=outcome or RunOutcome.success())
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and _interrupted_from_outside(self.token):
                raise
            ending = ending_of_error(error, self.options.expose_errors)
            if isinstance(error, RefusedError):
                self.refusal = error
            if not self._is_farewell(error):
                self._log(error)
        if self.token.tripped:
            ending = ending_of_cancellation(self.token)
        return ending.with_usage([] if ctx is None else ctx.usages)

    def _context(self) -> RunContext[Any]:
        self._publisher.value = decode_state(self.input.state, state_type_of(self.agent))
        return RunContext(
            self.input,
            self._output,
            self._publisher,
            self.token,
            self._backpressure,
            self.options.request,
        )

    def _is_farewell(self, error: BaseException) -> bool:
        """Whether an agent that was cancelled says no more than that."""
        return self.token.tripped and isinstance(error, asyncio.CancelledError | RunCancelledError)

    def _pending(self) -> None:
        self._backpressure.wake_reader()
        if self._deadlines is not None:
            self._deadlines.hear()

    def _taken(self, something: bool) -> None:
        self._backpressure.taken()
        if not something and self._task is not None and not self._task.done():
            self._expect_farewell()

    def _interrupt(self) -> None:
        """The token tripped: refuse what the agent emits, interrupt it, and bound its farewell."""
        if self._task is None or self._task.done():
            return
        if not self._output.ended:
            self._output.stop(self.token)
        self._task.cancel()
        self._expect_farewell()

    def _expect_farewell(self) -> None:
        if self._grace is None:
            loop = asyncio.get_running_loop()
            self._grace = loop.call_later(self.options.limits.grace, self._abandon)

    def _abandon(self) -> None:
        if self._task is None or self._closed.is_set():
            return
        if not self.token.tripped:  # the agent goes on after its own terminal event
            self._grace = None
            self.token.cancel("stopped", "the stream had ended")
            return
        self._task.cancel()
        logger.error("%s ignores cancellation: abandoned", name_of(self.agent))
        self._close(ending_of_cancellation(self.token))

    def _finished(self, task: asyncio.Task[None]) -> None:
        """The task is over, perhaps before it began: whatever happened, the stream ends."""
        error = None if task.cancelled() else task.exception()
        if self._closed.is_set():
            return
        if error is not None:
            self._log(error)
            self._close(ending_of_error(error, self.options.expose_errors))
        elif self.token.tripped:
            self._close(ending_of_cancellation(self.token))
        else:
            self._close(ending_of_error(asyncio.CancelledError(), False))

    def _close(self, ending: Ending) -> None:
        self._end(ending)
        if self._deadlines is not None:
            self._deadlines.clear()
        if self._forget_token is not None:
            self._forget_token()
        if self._grace is not None:
            self._grace.cancel()
        if self._observed is not None:
            self._observed.end()
        self._closed.set()

    def _end(self, ending: Ending) -> None:
        if not self._output.ended:
            self.ending = ending
            self._output.end(ending)
        self._backpressure.end()

    def _observe(self) -> Observed:
        options = self.options
        record = RunRecord(
            options.name or name_of(self.agent),
            self.input,
            options.request,
            self.token,
            self._output.stream,
            self._backpressure,
        )
        observed = Observed(options.observers, record)
        self._output.observe = observed.event
        return observed

    def _log(self, error: BaseException) -> None:
        """Tell of a failure; where the input is to blame, a sentence is enough."""
        names = (self.input.run_id, self.input.thread_id, name_of(self.agent))
        if isinstance(error, StateError | ResumeError):
            logger.warning("run %s of thread %s was refused by %s: %s", *names, error)
        else:
            logger.error("run %s of thread %s failed in %s", *names, exc_info=error)


def _interrupted_from_outside(token: CancelToken) -> bool:
    """Whether somebody else than the token has cancelled the task of the run."""
    task = asyncio.current_task()
    return not token.tripped and task is not None and task.cancelling() > 0
