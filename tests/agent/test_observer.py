"""What an observer sees of runs, and that runs never notice."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from contextvars import ContextVar
from typing import Any

import pytest

from gateway.agent import Observation, Options, Run, RunContext, RunOutcome, RunRecord
from gateway.errors import AgentError, OrderingError
from gateway.protocol.events import Event, TextMessageEnd
from gateway.protocol.outcomes import Interrupt
from tests.agent.runs import given

MARK: ContextVar[str] = ContextVar("mark", default="")


class Noting(Observation):
    """Keeps what it hears."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.types: list[str] = []
        self.ends = 0

    def event(self, event: Event) -> None:
        self.types.append(event.type)

    def end(self) -> None:
        self.ends += 1


class Observer:
    """Notes every run."""

    def __init__(self) -> None:
        self.noted: list[Noting] = []

    def observe(self, record: RunRecord) -> Observation:
        MARK.set("observed")
        self.noted.append(Noting(record))
        return self.noted[-1]


class Broken(Observation):
    """Fails at all times."""

    def observe(self, record: RunRecord) -> Observation:
        return self

    def event(self, event: Event) -> None:
        raise RuntimeError("at an event")

    def end(self) -> None:
        raise RuntimeError("at the end")


async def taken(run: Run) -> list[Event]:
    run.start()
    events: list[Event] = []
    while more := await run.read_events():
        events += more
    await run.closed()
    return events


def observed(agent: Any, **members: Any) -> Noting:
    observer = Observer()
    asyncio.run(taken(Run(agent, given(**members), Options(observers=(observer,), name="mine"))))
    (noting,) = observer.noted
    assert noting.ends == 1
    return noting


async def busy(ctx: RunContext[Any]) -> None:
    with ctx.step("one"):
        ctx.say("hello")
    ctx.tool_call("front").end()


def test_rare_events_are_heard_and_content_is_not() -> None:
    noting = observed(busy)
    assert noting.types == ["STEP_STARTED", "STEP_FINISHED", "TOOL_CALL_START", "RUN_FINISHED"]


def test_a_record_tells_who_and_how_much() -> None:
    record = observed(busy).record
    assert (record.agent, record.run_id, record.thread_id) == ("mine", "r", "t")
    assert record.events == 9
    assert record.first_event is not None
    assert 0 <= record.first_event <= record.duration < 20


async def interrupting(ctx: RunContext[Any]) -> RunOutcome:
    return RunOutcome.interrupt(Interrupt("i", "why"))


async def failing(ctx: RunContext[Any]) -> None:
    raise AgentError("no", "MINE")


async def giving_up(ctx: RunContext[Any]) -> None:
    ctx.token.cancel("stopped")


async def late(ctx: RunContext[Any]) -> None:
    ctx.token.cancel("deadline")


@pytest.mark.parametrize(
    ("agent", "result", "code", "reason"),
    [
        (busy, "success", "", None),
        (interrupting, "interrupt", "", None),
        (failing, "error", "MINE", None),
        (giving_up, "cancelled", "", "stopped"),
        (late, "error", "TIMEOUT", "deadline"),
    ],
)
@pytest.mark.parametrize("version", ["1.0", None])
def test_a_record_tells_how_the_run_ended_whatever_the_client_speaks(
    agent: Any, result: str, code: str, reason: str | None, version: str | None
) -> None:
    members = {} if version else {"protocol_version": "0.0.45"}
    record = observed(agent, **members).record
    assert (record.result, record.code, record.reason) == (result, code, reason)


def test_violations_are_counted_by_rule() -> None:
    async def rude(ctx: RunContext[Any]) -> None:
        for _ in range(3):
            with pytest.raises(OrderingError):
                ctx.emit(TextMessageEnd("nowhere"))

    assert observed(rude).record.violations == {"not-open": 3}


def test_a_run_that_is_cancelled_before_it_began_ends_for_observers_too() -> None:
    observer = Observer()

    async def scenario() -> None:
        run = Run(busy, given(), Options(observers=(observer,)))
        run.start()
        run.cancel("client-left")
        await run.closed()

    asyncio.run(scenario())
    (noting,) = observer.noted
    assert (noting.ends, noting.record.reason) == (1, "client-left")


def test_context_variables_of_observers_are_the_agents() -> None:
    seen: list[str] = []

    async def looking(ctx: RunContext[Any]) -> None:
        seen.append(MARK.get())

    observed(looking)
    assert seen == ["observed"]
    assert MARK.get() == ""


def test_a_broken_observer_is_logged_and_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    observer = Observer()

    class Refusing:
        def observe(self, record: RunRecord) -> None:
            raise RuntimeError("at the start")

    options = Options(observers=(Refusing(), Broken(), observer))
    with caplog.at_level(logging.ERROR):
        events = asyncio.run(taken(Run(busy, given(), options)))
    assert events[-1].type == "RUN_FINISHED"
    assert observer.noted[0].ends == 1
    for when in ("at the start", "at an event", "at the end"):
        assert any(text.endswith(f"failed {when}") for text in caplog.messages)


def test_an_observer_may_want_no_more() -> None:
    class Passing:
        def observe(self, record: RunRecord) -> None:
            return None

    events = asyncio.run(taken(Run(busy, given(), Options(observers=(Passing(),)))))
    assert events[-1].type == "RUN_FINISHED"


def test_unobserved_runs_import_nothing_for_observers() -> None:
    code = (
        "import sys; from gateway.server import Gateway, Settings; "
        "from gateway.server.operations import Metrics; "
        "Gateway({}, Settings(metrics=Metrics(enabled=False))); "
        "sys.exit(not {'opentelemetry', 'prometheus_client'}.isdisjoint(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
