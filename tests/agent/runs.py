"""Running agents in tests: what came out, in the short names of the scenarios."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from gateway.agent import CancelToken, Options, Run, Runner
from gateway.agent.agent import AnyAgent
from gateway.protocol.events import Event, RunError, RunFinished
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import UserMessage

SHORT = {
    "RUN_STARTED": "RS",
    "RUN_FINISHED": "RF",
    "RUN_ERROR": "RE",
    "TEXT_MESSAGE_START": "TS",
    "TEXT_MESSAGE_CONTENT": "TC",
    "TEXT_MESSAGE_END": "TE",
    "TOOL_CALL_START": "CS",
    "TOOL_CALL_ARGS": "CA",
    "TOOL_CALL_END": "CE",
    "TOOL_CALL_RESULT": "CR",
    "REASONING_START": "BS",
    "REASONING_END": "BE",
    "REASONING_MESSAGE_START": "MS",
    "REASONING_MESSAGE_CONTENT": "MC",
    "REASONING_MESSAGE_END": "ME",
    "REASONING_ENCRYPTED_VALUE": "EV",
    "STATE_SNAPSHOT": "SS",
    "STATE_DELTA": "SD",
    "STEP_STARTED": "XS",
    "STEP_FINISHED": "XF",
    "SUBAGENT_STARTED": "US",
    "SUBAGENT_FINISHED": "UF",
    "SUBAGENT_ERROR": "UE",
    "ACTIVITY_SNAPSHOT": "AS",
    "ACTIVITY_DELTA": "AD",
    "MESSAGES_SNAPSHOT": "GS",
    "CUSTOM": "CU",
    "RAW": "RW",
}


def given(text: str = "Hi", /, **members: Any) -> RunAgentInput:
    """An input of thread `t` and run `r` with one user message, of the protocol 1.0."""
    members = {"protocol_version": "1.0", "messages": [UserMessage("m", text)]} | members
    return RunAgentInput(
        members.pop("thread_id", "t"),
        members.pop("run_id", "r"),
        **members,
    )


def sequence(events: list[Event]) -> str:
    """The kinds of events by their short names; RUN_ERROR with its code."""
    return " ".join(
        f"RE({event.code})" if isinstance(event, RunError) else SHORT[event.type]
        for event in events
    )


def events_of(agent: AnyAgent, input: RunAgentInput | None = None, **options: Any) -> list[Event]:
    """Everything that one run gives in this process."""
    token: CancelToken | None = options.pop("token", None)

    async def collect() -> list[Event]:
        events = Runner(agent, **options).run(input or given(), token)
        return [event async for event in events]

    return asyncio.run(collect())


def sequence_of(agent: AnyAgent, input: RunAgentInput | None = None, **options: Any) -> str:
    """The short names of what one run gives."""
    return sequence(events_of(agent, input, **options))


def finish(events: list[Event]) -> RunFinished:
    """The last event, which is a RUN_FINISHED."""
    last = events[-1]
    assert isinstance(last, RunFinished), last
    return last


def failure(events: list[Event]) -> RunError:
    """The last event, which is a RUN_ERROR."""
    last = events[-1]
    assert isinstance(last, RunError), last
    return last


async def first_of(run: Run, count: int) -> list[Event]:
    """The events of a started run, as they come, until there are `count` or more."""
    events = await run.read_events()
    while len(events) < count:
        more = await run.read_events()
        assert more, f"the run ended after {sequence(events)}"
        events += more
    return events


async def rest_of(run: Run) -> list[Event]:
    """Everything that a started run still gives, until it is closed."""
    return [event async for event in _rest(run)]


async def _rest(run: Run) -> AsyncIterator[Event]:
    while events := await run.read_events():
        for event in events:
            yield event
    await run.closed()


async def bytes_of(agent: AnyAgent, input: RunAgentInput | None = None, **options: Any) -> bytes:
    """The SSE stream of one run."""
    run = Run(agent, input or given(), Options(encoding="sse", **options))
    run.start()
    chunks = []
    while chunk := await run.read():
        chunks.append(chunk)
    await run.closed()
    return b"".join(chunks)


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Turn the loop until something has happened; fails after `seconds`."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)
