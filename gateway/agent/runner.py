"""Running an agent in this process: an async iterator of its events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from gateway.agent.agent import AnyAgent
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

    def run(self, input: RunAgentInput, token: CancelToken | None = None) -> AsyncIterator[Event]:
        """Run the agent once; `token` cancels it from outside."""
        return _events(Run(self.agent, input, self.options, token))


def run(agent: AnyAgent, input: RunAgentInput) -> AsyncIterator[Event]:
    """Run `agent` on `input` with default options: RUN_STARTED first, one terminal event last."""
    return Runner(agent).run(input)


async def _events(run: Run) -> AsyncIterator[Event]:
    run.start()
    try:
        while events := await run.read_events():
            for event in events:
                yield event
    finally:
        run.cancel("client-left")
        await run.closed()
