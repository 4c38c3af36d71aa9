"""One run: an agent, its input, and the stream that comes out.

A run has a task of its own, which belongs to whoever started the run and not to a response. The
stream begins with RUN_STARTED and ends with exactly one terminal event, whatever the agent does:
returns, raises, emits its own terminal, is cancelled, or ignores cancellation, in which case it is
abandoned after the grace period. What is open is closed first, innermost first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterable
from typing import Any

from gateway.agent.agent import AnyAgent, name_of, relays, start, state_type_of
from gateway.agent.backpressure import Backpressure
from gateway.agent.cancellation import CancelToken, Reason
from gateway.agent.context import RunContext
from gateway.agent.ending import Ending, ending_of_cancellation, ending_of_error
from gateway.agent.options import Options
from gateway.agent.outcome import RunOutcome
from gateway.agent.output import Output
from gateway.agent.state import StatePublisher, decode_state
from gateway.errors import UpstreamError
from gateway.protocol.base import UNSET
from gateway.protocol.eras import PROTOCOL_VERSION
from gateway.protocol.events import Event, RunStarted
from gateway.protocol.input import RunAgentInput

logger = logging.getLogger("gateway.agent")

TURN = 256
"""Events of a generator between two turns of the loop."""


class Run:
    """Runs `agent` on `input`; `read` and `read_events` give what comes out.

    Start it with `start`, read until the end, and await `closed`; leaving early goes through
    `cancel`. A run is used once and by one reader.
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
        self._output = Output(input, options, relays(agent))
        self._backpressure = Backpressure(self._output.stream, options.limits.high_water)
        self._output.stream.on_pending = self._backpressure.wake_reader
        self._publisher: StatePublisher[Any] = StatePublisher(self._output.stream, None)
        self._output.observe_state = self._publisher.observe
        self._task: asyncio.Task[None] | None = None
        self._closed = asyncio.Event()

    def start(self) -> None:
        """Create the run's task; the first event is there at once."""
        if not relays(self.agent):
            self._output.stream.emit(self._run_started())
        self._task = asyncio.get_running_loop().create_task(self._main(), name="run")
        self._task.add_done_callback(self._left)
        self.token.on_cancel(self._interrupt)

    def cancel(self, reason: Reason = "stopped", detail: str = "") -> None:
        """Stop the run; the reason decides how its stream ends. A second time does nothing."""
        self.token.cancel(reason, detail)

    async def read(self) -> bytes:
        """The bytes that are pending, as soon as there are any; `b""` after the end."""
        while waiting := self._backpressure.waiting():
            await waiting
        chunk = self._output.stream.flush()
        self._backpressure.taken()
        return chunk

    async def read_events(self) -> list[Event]:
        """The events that are pending, as soon as there are any; `[]` after the end."""
        while waiting := self._backpressure.waiting():
            await waiting
        events: list[Event] = self._output.stream.take_events()
        self._backpressure.taken()
        return events

    async def closed(self) -> None:
        """Wait until the run has ended and its agent has been left (or abandoned)."""
        await self._closed.wait()

    async def _main(self) -> None:
        try:
            ending = await self._ending()
        except BaseException as error:
            self._end(ending_of_error(error, self.options.expose_errors))
            self._closed.set()
            raise
        self._end(ending)
        self._closed.set()

    async def _ending(self) -> Ending:
        ctx: RunContext[Any] | None = None
        try:
            ctx = self._context()
            outcome = await self._run_agent(ctx)
            ending = Ending(outcome=outcome or RunOutcome.success())
        except (KeyboardInterrupt, SystemExit):
            raise
        except asyncio.CancelledError:
            if not self.token.tripped:
                raise
            ending = ending_of_cancellation(self.token)
        except BaseException as error:
            ending = ending_of_error(error, self.options.expose_errors)
            self._log(error)
        if self.token.tripped:
            ending = ending_of_cancellation(self.token)
        return ending.with_usage([] if ctx is None else ctx.usages)

    def _context(self) -> RunContext[Any]:
        self._publisher.value = decode_state(self.input.state, state_type_of(self.agent))
        return RunContext(
            self.input,
            self._output.stream,
            self._publisher,
            self.token,
            self._backpressure,
            self.options.request,
        )

    async def _run_agent(self, ctx: RunContext[Any]) -> RunOutcome | None:
        running = start(self.agent, ctx)
        if isinstance(running, AsyncIterable):
            await self._iterate(running)
            return None
        return _checked(await running, self.agent)

    async def _iterate(self, events: AsyncIterable[Event]) -> None:
        stream = self._output.stream
        count = 0
        async for event in events:
            stream.emit(event)
            count += 1
            if count % TURN == 0 or stream.pending_bytes > self._backpressure.high_water:
                await self._backpressure.drain()

    def _interrupt(self) -> None:
        """The token tripped: refuse what the agent emits, interrupt it, and bound its farewell."""
        if self._task is None or self._task.done() or self._output.ended:
            return
        self._output.stop(self.token)
        self._task.cancel()
        asyncio.get_running_loop().call_later(self.options.limits.grace, self._abandon)

    def _abandon(self) -> None:
        if self._closed.is_set():
            return
        logger.error("%s ignores cancellation: abandoned", name_of(self.agent))
        self._end(ending_of_cancellation(self.token))
        self._closed.set()

    def _left(self, task: asyncio.Task[None]) -> None:
        """The task is over; one that was cancelled before its first step has ended nothing yet."""
        if self._closed.is_set():
            return
        tripped = self.token.tripped
        cancelled = asyncio.CancelledError()
        self._end(
            ending_of_cancellation(self.token) if tripped else ending_of_error(cancelled, False)
        )
        self._closed.set()

    def _end(self, ending: Ending) -> None:
        if not self._output.ended:
            self.ending = ending
            self._begin()
            self._output.end(ending)
        self._backpressure.end()

    def _begin(self) -> None:
        """Begin the run if its agent should have and has not; a stopped stream refuses it."""
        if not self._output.began:
            self._output.stream.refusal = None
            self._output.stream.emit(self._run_started())

    def _run_started(self) -> RunStarted:
        return RunStarted(
            self.input.thread_id,
            self.input.run_id,
            PROTOCOL_VERSION,
            self.input.parent_run_id,
            self.input if self.options.echo_input else UNSET,
        )

    def _log(self, error: BaseException) -> None:
        if isinstance(error, UpstreamError):
            notes = "; ".join(getattr(error, "__notes__", []))
            logger.warning("run %s: %s: %s [%s]", self.input.run_id, error.code, error, notes)
            return
        logger.error(
            "run %s of thread %s failed in %s",
            self.input.run_id,
            self.input.thread_id,
            name_of(self.agent),
            exc_info=error,
        )


def _checked(outcome: object, agent: AnyAgent) -> RunOutcome | None:
    if outcome is None or isinstance(outcome, RunOutcome):
        return outcome
    raise TypeError(
        f"{name_of(agent)}.run returned {type(outcome).__name__}: expected a RunOutcome or None"
    )
