"""What an agent is: anything with `async def run(ctx)`.

Three forms do: an object with a `run` method, an async function, and an async generator function
that yields events. One instance serves all concurrent requests; nothing of it is ever copied.
Compiled coroutine functions do not look like coroutine functions, so the form is never guessed
from the function: `run` is called and the result looked at.
"""

from collections.abc import AsyncIterable, Awaitable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from gateway.agent.outcome import RunOutcome
from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import Message

if TYPE_CHECKING:
    from gateway.agent.context import RunContext

State = TypeVar("State")
StateIn = TypeVar("StateIn", contravariant=True)

Running: TypeAlias = Awaitable[RunOutcome | None] | AsyncIterable[Event]
"""What calling `run` gives: a coroutine to await, or events to iterate."""


class Agent(Protocol[State]):
    """An agent whose state is a `State`.

    Optional attributes: `state_type` (the type that the state of the input is decoded into, any
    JSON value if absent), `description` and `capabilities` (shown by `GET /agents`), `lifespan`
    (an async context manager factory for pools and clients, entered once a process),
    `on_disconnect` ("cancel" or "continue": what a client that leaves means for its run), `on_end`
    (see `EndHook`), and `may_refuse` (true for an agent that stands for another server: a
    `RefusedError` raised before its first event becomes the HTTP status of the answer).
    """

    def run(self, ctx: "RunContext[State]", /) -> Running:
        """Do one run; emit through `ctx`, return a `RunOutcome` or None, or yield events."""
        ...


class AgentFunction(Protocol[State]):
    """The function form of an agent."""

    def __call__(self, ctx: "RunContext[State]", /) -> Running:
        """Do one run, as `Agent.run` does."""
        ...


AnyAgent: TypeAlias = Agent[Any] | AgentFunction[Any]


class Lifespan(Protocol):
    """What `agent.lifespan` is."""

    def __call__(self) -> AbstractAsyncContextManager[Any]:
        """Make the context manager that is entered before the agent's first run."""
        ...


class EndHook(Protocol):
    """What `agent.on_end` is: told once how each run ended and what it produced."""

    def __call__(
        self, reason: str, messages: list[Message], state: Any, input: RunAgentInput, /
    ) -> Awaitable[None] | None:
        """`messages` and `state` are those of the thread after the run, as its client has them.

        `reason` is success, interrupt, cancelled or error, or why the run was cut short:
        client-left, stopped, deadline or shutdown. What it raises is logged.
        """
        ...


def end_hook_of(agent: AnyAgent) -> EndHook | None:
    """The `on_end` attribute, None when the agent does not ask."""
    return getattr(agent, "on_end", None)


def start(agent: AnyAgent, ctx: "RunContext[Any]") -> Running:
    """Call the agent's `run`; raises TypeError when the result is neither of the two forms."""
    run = getattr(agent, "run", agent)
    if isinstance(agent, type):
        raise TypeError(f"{agent.__qualname__} is a class: expected an instance of it")
    if not callable(run):
        raise TypeError(f"{agent!r} is no agent: it has no `run` and is no function")
    running: Any = run(ctx)
    if hasattr(running, "__await__") or hasattr(running, "__aiter__"):
        return running  # type: ignore[no-any-return]
    raise TypeError(
        f"{name_of(agent)}.run returned {type(running).__name__}: "
        "expected a coroutine or an async generator; write it as `async def run(ctx)`"
    )


def lifespan_of(agent: AnyAgent) -> AbstractAsyncContextManager[Any]:
    """A new context manager of the agent's `lifespan`, one that does nothing if it has none."""
    lifespan: Lifespan | None = getattr(agent, "lifespan", None)
    return nullcontext() if lifespan is None else lifespan()


def state_type_of(agent: AnyAgent) -> Any:
    """The type of the agent's state, None for any JSON value."""
    return getattr(agent, "state_type", None)


def description_of(agent: AnyAgent) -> str:
    """The `description` attribute, or else the first line of the agent's docstring."""
    given = getattr(agent, "description", None)
    if isinstance(given, str):
        return given
    return (getattr(agent, "__doc__", None) or "").strip().partition("\n")[0]


def capabilities_of(agent: AnyAgent) -> AgentCapabilities | None:
    """The `capabilities` attribute, None when the agent declares nothing."""
    return getattr(agent, "capabilities", None)


def name_of(agent: AnyAgent) -> str:
    """A name for logs and error texts."""
    return getattr(agent, "__qualname__", None) or type(agent).__qualname__
