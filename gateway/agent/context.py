"""`RunContext`: what an agent's `run` is given, to read the request and to emit the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar, overload

from gateway.agent.backpressure import Backpressure
from gateway.agent.cancellation import CancelToken
from gateway.agent.handles.scopes import Scope
from gateway.agent.ids import Ids
from gateway.agent.incoming import Incoming
from gateway.agent.options import Options
from gateway.agent.output import Output
from gateway.agent.recording import Recording
from gateway.agent.request import Request
from gateway.agent.state import StatePublisher, decode_state
from gateway.errors import RunCancelledError
from gateway.protocol.base import UNSET
from gateway.protocol.input import RunAgentInput
from gateway.protocol.usage import TokenUsage

State = TypeVar("State")
S = TypeVar("S")
T = TypeVar("T")


class RunContext(Scope, Incoming, Generic[State]):
    """One run, seen by its agent: the request, the state, and everything that can be emitted."""

    __slots__ = ("_backpressure", "_publisher", "_token", "input", "request", "usages")

    def __init__(
        self,
        input: RunAgentInput,
        output: Output,
        publisher: StatePublisher[State],
        token: CancelToken,
        backpressure: Backpressure,
        request: Request,
    ) -> None:
        super().__init__(output.sink, Ids(input), UNSET, publisher.require_applicable)
        self.input = input
        self.request = request
        self.usages: list[TokenUsage] = []
        self._publisher = publisher
        self._token = token
        self._backpressure = backpressure

    @overload
    @staticmethod
    def for_test(
        input: RunAgentInput | None = None, *, state_type: type[S]
    ) -> tuple[RunContext[S], Recording]: ...

    @overload
    @staticmethod
    def for_test(input: RunAgentInput | None = None) -> tuple[RunContext[Any], Recording]: ...

    @staticmethod
    def for_test(
        input: RunAgentInput | None = None, *, state_type: Any = None
    ) -> tuple[RunContext[Any], Recording]:
        """A context without a run, and the events emitted through it, to test parts of an agent.

        The events are a sequence that grows; RUN_STARTED is not in it. `ctx.token.cancel()` refuses
        what is emitted afterwards. Raises StateError if the state does not fit.

        >>> ctx, events = RunContext.for_test()
        >>> ctx.say("hello")
        'test-run-msg-1'
        >>> [event.type for event in events]
        ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END']
        """
        input = RunAgentInput("test-thread", "test-run") if input is None else input
        options = Options()
        output = Output(input, options)
        state = decode_state(input.state, state_type)
        publisher = StatePublisher(output.sink, state, input.state)
        output.observe_state = publisher.observe
        recording = Recording(output)
        token = CancelToken()
        token.on_cancel(lambda: output.stop(token))
        backpressure = Backpressure(output.sink, options.limits.high_water)
        ctx = RunContext(input, output, publisher, token, backpressure, options.request)
        return ctx, recording

    @property
    def state(self) -> State:
        """The typed state, decoded from the input; change it and publish it."""
        return self._publisher.value

    def update_state(self, change: Callable[[State], State | None]) -> None:
        """Change the state in place, or return a new one, and publish it."""
        changed = change(self._publisher.value)
        if changed is not None:
            self._publisher.value = changed
        self._publisher.publish()

    def set_state(self, value: State) -> None:
        """Replace the state and publish it."""
        self._publisher.value = value
        self._publisher.publish()

    def publish_state(self, *, snapshot: bool = False) -> None:
        """Tell the client what changed: a snapshot at first, later a delta where it is smaller.

        `snapshot` sends the whole state, changed or not.
        """
        self._publisher.publish(snapshot)

    def usage(self, usage: TokenUsage) -> None:
        """Report the tokens of one model call; the terminal event carries the sums by model."""
        self.usages.append(usage)

    @property
    def cancelled(self) -> bool:
        """True once the run was cancelled."""
        return self._token.tripped

    @property
    def token(self) -> CancelToken:
        """The run's token, for handing on to whatever works for the agent."""
        return self._token

    def check_cancelled(self) -> None:
        """Raise RunCancelledError if the run was cancelled."""
        if self._token.reason is not None:
            raise RunCancelledError(self._token.reason)

    async def until_cancelled(self, awaitable: Awaitable[T]) -> T | None:
        """The result of `awaitable`, or None if the run is cancelled first.

        The agent is not interrupted then and should return soon; it has `Limits.grace` seconds.
        """
        return await self._token.until_cancelled(awaitable)

    @property
    def behind(self) -> bool:
        """True while so much is pending that `drain` would wait for the viewer."""
        return self._backpressure.behind

    async def drain(self) -> None:
        """Return when the viewer has caught up; call it after a burst, as `emit` never waits."""
        await self._backpressure.drain()
