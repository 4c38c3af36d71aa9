"""Running an agent in this process: an async iterator of its events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self

from gateway.agent.agent import AnyAgent, lifespan_of
from gateway.agent.cancellation import CancelToken
from gateway.agent.limits import Limits
from gateway.agent.options import Options, TransformerFactory
from gateway.agent.run import Run
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput


class Runner:
    """A recipe for runs of one agent; shared by all of them and never changed.

    Iterating `run(input)` runs the agent; leaving the iterator cancels it and waits until it has
    gone. `transformers` are factories, called anew for each run.

    An agent with a `lifespan` needs it entered: `async with Runner(agent) as runner` does that,
    once for all runs inside. Without `async with` the lifespan is the caller's own affair.
    """

    def __init__(
        self,
        agent: AnyAgent,
        *,
        transformers: Sequence[TransformerFactory] = (),
        limits: Limits = Limits(),
        echo_input: bool = False,
        expose_errors: bool = False,
    ) -> None:
        self.agent = agent
        self.options = Options(
            limits=limits,
            transformers=tuple(transformers),
            echo_input=echo_input,
            expose_errors=expose_errors,
        )
        self._lifespan: AbstractAsyncContextManager[Any] | None = None

    def run(
        self, input: RunAgentInput, token: CancelToken | None = None
    ) -> AsyncGenerator[Event, None]:
        """Run the agent once; `token` cancels it from outside."""
        return _events(Run(self.agent, input, self.options, token))

    async def __aenter__(self) -> Self:
        if self._lifespan is not None:
            raise RuntimeError("this Runner has been entered already")
        lifespan = lifespan_of(self.agent)
        await lifespan.__aenter__()
        self._lifespan = lifespan
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is not None:
            await lifespan.__aexit__(kind, error, trace)


def run(agent: AnyAgent, input: RunAgentInput) -> AsyncGenerator[Event, None]:
    """Run `agent` on `input` with default options: RUN_STARTED first, one terminal event last.

    Leaving the iterator early cancels the agent; `contextlib.aclosing` does so without delay.
    """
    return Runner(agent).run(input)


async def _events(run: Run) -> AsyncGenerator[Event, None]:
    run.start()
    try:
        while events := await run.read_events():
            for event in events:
                yield event
    except BaseException:
        run.cancel("client-left")
        raise
    finally:
        await run.closed()
