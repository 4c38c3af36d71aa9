"""What an agent is told when its run has ended, and runs that outlive their client."""

import asyncio
from typing import Any, NamedTuple

import pytest

from gateway.agent import Limits, Options, RunContext, RunOutcome
from gateway.errors import AgentError
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import AssistantMessage, Message
from gateway.protocol.outcomes import Interrupt
from gateway.server import AgentSettings, Endpoint, Settings
from tests.server.asgi import JSON, RUN, post, run, until

PROTOBUF = "application/vnd.ag-ui.event+proto"
PAST = {"id": "m1", "role": "user", "content": "Hi"}


class End(NamedTuple):
    reason: str
    messages: list[Message]
    state: Any
    input: RunAgentInput

    @property
    def said(self) -> list[str]:
        return [
            str(message.content) for message in self.messages if type(message) is AssistantMessage
        ]


class Kept:
    """Says and does what its input asks for, and keeps what it is told at the end."""

    def __init__(self) -> None:
        self.ends: list[End] = []
        self.gate = asyncio.Event()
        self.finished = False

    async def run(self, ctx: RunContext[Any]) -> RunOutcome | None:
        ctx.set_state({"step": 1})
        ask = ctx.input.forwarded_props
        with ctx.assistant_message() as message:
            message.delta("half")
            if ask == "fail":
                raise AgentError("no", "NO")
            if ask == "wait":
                await self.gate.wait()
            message.delta(" and half")
        self.finished = True
        if ask == "interrupt":
            return RunOutcome.interrupt(Interrupt("i1", "really?"))
        return RunOutcome.cancelled() if ask == "give up" else None

    async def on_end(
        self, reason: str, messages: list[Message], state: Any, input: RunAgentInput
    ) -> None:
        await asyncio.sleep(0)
        self.ends.append(End(reason, messages, state, input))


def asking(what: str) -> dict[str, Any]:
    return {**RUN, "messages": [PAST], "forwardedProps": what, "protocolVersion": "1.0"}


@pytest.mark.parametrize("accept", ["text/event-stream", PROTOBUF])
@pytest.mark.parametrize(
    ("ask", "reason", "said"),
    [
        ("work", "success", "half and half"),
        ("interrupt", "interrupt", "half and half"),
        ("give up", "cancelled", "half and half"),
        ("fail", "error", "half"),
    ],
)
def test_an_agent_is_told_how_its_run_ended(ask: str, reason: str, said: str, accept: str) -> None:
    async def scenario() -> End:
        kept = Kept()
        await post(Endpoint(kept), body=asking(ask), headers={**JSON, "accept": accept}).answer()
        await until(lambda: bool(kept.ends))
        return kept.ends[0]

    end = run(scenario())
    assert (end.reason, end.said, end.state) == (reason, [said], {"step": 1})
    assert (end.messages[0].id, end.input.thread_id) == ("m1", "t1")


@pytest.mark.parametrize("way", ["client-left", "stopped", "shutdown", "deadline"])
def test_an_agent_is_told_what_a_run_that_was_cut_short_had_said(way: str) -> None:
    async def scenario() -> End:
        kept = Kept()
        limits = Limits(run_timeout=0.05) if way == "deadline" else Limits()
        application = Endpoint(kept, Settings(), Options(limits=limits))
        connection = post(application, body=asking("wait"))
        await connection.until(b"half")
        if way == "client-left":
            connection.leave()
        elif way == "stopped":
            assert application.runs.cancel("agent", "r1", None)
        elif way == "shutdown":
            await application.close()
            assert kept.ends
        await connection.task
        await until(lambda: bool(kept.ends))
        await until(lambda: not application.runs)
        assert len(kept.ends) == 1
        return kept.ends[0]

    end = run(scenario())
    assert (end.reason, end.said, end.state) == (way, ["half"], {"step": 1})


@pytest.mark.parametrize("configured", [True, False])
def test_a_run_may_go_on_without_its_client(configured: bool) -> None:
    async def scenario() -> None:
        kept = Kept()
        if not configured:
            kept.on_disconnect = "continue"  # type: ignore[attr-defined]
        own = AgentSettings(on_disconnect="continue" if configured else None)
        application = Endpoint(kept, Settings(agents={"agent": own}))
        connection = post(application, body=asking("wait"))
        await connection.until(b"half")
        connection.leave()
        await connection.task
        assert (len(application.runs), application.admission.total, kept.ends) == (1, 1, [])
        kept.gate.set()
        await until(lambda: bool(kept.ends))
        assert (kept.ends[0].reason, kept.ends[0].said) == ("success", ["half and half"])
        await until(lambda: application.admission.total == 0)

    run(scenario())


def test_a_run_without_a_client_ends_with_the_gateway() -> None:
    async def scenario() -> None:
        kept = Kept()
        application = Endpoint(
            kept, Settings(agents={"agent": AgentSettings(on_disconnect="continue")})
        )
        connection = post(application, body=asking("wait"))
        await connection.until(b"half")
        connection.leave()
        await connection.task
        await application.close()
        assert [end.reason for end in kept.ends] == ["shutdown"]

    run(scenario())


def test_a_run_that_goes_on_is_not_held_back_by_the_client_that_left() -> None:
    class Flood:
        on_disconnect = "continue"
        done = False

        async def run(self, ctx: RunContext[Any]) -> None:
            with ctx.assistant_message() as message:
                message.delta("begun")
                for _ in range(200):
                    message.delta("x" * 10_000)
                    await ctx.drain()
            self.done = True

    async def scenario() -> None:
        flood = Flood()
        connection = post(Endpoint(flood))
        connection.accepting.clear()
        await asyncio.sleep(0)
        connection.leave()
        await connection.task
        await until(lambda: flood.done)

    run(scenario())


def test_a_hook_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Kept):
        async def on_end(self, *end: Any) -> None:
            raise RuntimeError("no room")

    async def scenario() -> None:
        application = Endpoint(Failing())
        assert (await post(application, body=asking("work")).answer()).types[-1] == "RUN_FINISHED"
        await until(lambda: not application.runs)

    run(scenario())
    assert "on_end failed for run r1" in caplog.text


def test_a_hook_may_be_a_plain_function() -> None:
    reasons: list[str] = []

    class Plain(Kept):
        def on_end(self, reason: str, *rest: Any) -> None:  # type: ignore[override]
            reasons.append(reason)

    async def scenario() -> None:
        await post(Endpoint(Plain()), body=asking("work")).answer()
        await until(lambda: bool(reasons))

    run(scenario())
    assert reasons == ["success"]


def test_an_unknown_policy_is_an_error() -> None:
    class Odd(Kept):
        on_disconnect = "linger"

    with pytest.raises(ValueError, match="on_disconnect must be 'cancel' or 'continue'"):
        Endpoint(Odd())
