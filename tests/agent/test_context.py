"""What an agent reads and emits through its context."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gateway.agent import Request, RunContext
from gateway.errors import OrderingError, RunCancelledError, StateError
from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    Custom,
    Event,
    Raw,
    TextMessageContent,
    TextMessageStart,
    ToolCallResult,
)
from gateway.protocol.input import Context, ResumeEntry, RunAgentInput, Tool
from gateway.protocol.messages import (
    AssistantMessage,
    FunctionCall,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.parts import ImagePart, TextPart, UrlSource
from tests.agent.runs import events_of, given, sequence, sequence_of

Ctx = RunContext[Any]


def emitted(use: Callable[[Ctx], Any], input: RunAgentInput | None = None) -> list[Event]:
    """The events of one use of a context."""
    ctx, events = RunContext.for_test(input or given())
    use(ctx)
    return list(events)


def test_an_agent_sees_its_request() -> None:
    ctx, _ = RunContext.for_test(
        given(
            parent_run_id="p",
            tools=[Tool("search", "finds")],
            context=[Context("city", "Seoul")],
            forwarded_props={"a": 1},
            resume=[ResumeEntry("i", "resolved", False)],
        )
    )
    assert (ctx.thread_id, ctx.run_id, ctx.parent_run_id) == ("t", "r", "p")
    assert len(ctx.messages) == len(ctx.tools) == len(ctx.context) == 1
    assert ctx.tool("search") is ctx.tools[0]
    assert ctx.tool("other") is None
    assert ctx.forwarded_props == {"a": 1}
    assert ctx.protocol_version == "1.0"
    assert ctx.is_resume
    assert ctx.resume_for("i") is ctx.resume[0]
    assert ctx.resume_for("j") is None
    assert ctx.request == Request()


def test_what_the_client_left_out_is_none_or_empty() -> None:
    ctx, _ = RunContext.for_test(RunAgentInput("t", "r"))
    assert ctx.parent_run_id is ctx.forwarded_props is ctx.protocol_version is None
    assert not ctx.is_resume
    assert list(ctx.resume) == []
    assert ctx.state == {}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], None),
        ([AssistantMessage("a", "x")], None),
        ([UserMessage("u", "")], ""),
        ([UserMessage("u", "1"), AssistantMessage("a", "x"), UserMessage("v", "2")], "2"),
        ([UserMessage("u", "1"), AssistantMessage("a", "x")], "1"),
        ([UserMessage("u", [TextPart("1"), TextPart("2")])], "1\n2"),
        ([UserMessage("u", [ImagePart(UrlSource("https://a/b.png"))])], ""),
    ],
)
def test_last_user_text(messages: list[Message], expected: str | None) -> None:
    ctx, _ = RunContext.for_test(given(messages=messages))
    assert ctx.last_user_text == expected


def test_a_scripted_run_has_the_expected_events_and_ids() -> None:
    async def agent(ctx: Ctx) -> None:
        with ctx.step("research") as step:
            step.think("hm")
            with step.tool_call("search") as call:
                call.args_json({"q": "x"})
                call.result_json({"hits": 1})
            with step.message() as reply:
                reply.delta("one ")
                reply.delta("two")
            ctx.set_state({"hits": 1})

    events = events_of(agent)
    assert sequence(events) == "RS XS BS MS MC ME BE CS CA CE CR TS TC TC TE SS XF RF"
    ids = [getattr(e, "message_id", getattr(e, "tool_call_id", None)) for e in events]
    assert [ids[2], ids[7], ids[10], ids[11]] == ["r-msg-1", "r-call-1", "r-msg-2", "r-msg-3"]
    result = events[10]
    assert isinstance(result, ToolCallResult)
    assert result.role == "tool"
    assert result.content == '{"hits":1}'


def test_minted_ids_pass_by_those_of_the_input() -> None:
    call = ToolCall("r-call-1", FunctionCall("f", "{}"))
    history: list[Message] = [
        UserMessage("r-msg-1", "x"),
        AssistantMessage("a", tool_calls=[call], subagent_run_id="r-sub-1"),
        ToolMessage("r-msg-3", "x", "r-call-1"),
    ]
    ctx, _ = RunContext.for_test(given(messages=history))
    assert [ctx.say("x"), ctx.say("y"), ctx.think("z")] == ["r-msg-2", "r-msg-4", "r-msg-5"]
    assert ctx.tool_call("f").id == "r-call-2"
    assert ctx.subagent("s").id == "r-sub-2"


def test_minted_ids_pass_by_those_that_the_agent_chose() -> None:
    ctx, _ = RunContext.for_test(given())
    ctx.message(id="r-msg-1")
    ctx.tool_call("f", id="r-call-1")
    assert ctx.message().id not in ("r-msg-1",)
    assert ctx.tool_call("f").id == "r-call-2"


def test_an_empty_run_id_gives_ids_that_begin_with_run() -> None:
    ctx, _ = RunContext.for_test(given(run_id=""))
    assert ctx.say("x") == "run-msg-1"


def test_chosen_ids_use_up_no_number() -> None:
    ctx, _ = RunContext.for_test(given())
    with ctx.message(id="mine"), ctx.reasoning(id="thought"):
        pass
    assert ctx.say("x") == "r-msg-1"


def test_messages_have_roles_names_and_metadata() -> None:
    def use(ctx: Ctx) -> None:
        ctx.message("user", name="Kim", metadata={"a": None}).end()

    start = emitted(use)[0]
    assert start == TextMessageStart("r-msg-1", "user", "Kim", metadata={"a": None})


def test_custom_raw_and_snapshots() -> None:
    def use(ctx: Ctx) -> None:
        ctx.custom("app.null", None)
        ctx.raw(None, source="x")
        ctx.messages_snapshot([UserMessage("m", "x")])

    events = emitted(use)
    assert sequence(events) == "CU RW GS"
    assert events[:2] == [Custom("app.null", None), Raw(None, "x")]


def test_anything_may_stand_inside_an_open_message() -> None:
    def use(ctx: Ctx) -> None:
        with ctx.message() as message:
            message.delta("x")
            ctx.custom("app.x", 1)
            ctx.set_state({"a": 1})
            ctx.activity("a", {})

    assert sequence(emitted(use)) == "TS TC CU SS AS TE"


def test_parallel_calls_interleave() -> None:
    def use(ctx: Ctx) -> None:
        a, b = ctx.tool_call("f"), ctx.tool_call("g")
        b.args("1")
        a.args("2")
        a.end()
        b.end()

    events = emitted(use)
    assert sequence(events) == "CS CS CA CA CE CE"
    assert [getattr(e, "tool_call_id", "")[-1] for e in events] == list("122112"[:2] + "2112")


def test_a_call_of_the_history_is_answered_without_being_announced_again() -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.emit(ToolCallResult("r-msg-1", "c1", "done"))

    call = ToolCall("c1", FunctionCall("delete", "{}"))
    input = given(
        messages=[AssistantMessage("a", tool_calls=[call])],
        resume=[ResumeEntry("i", "resolved", True)],
    )
    assert sequence_of(agent, input) == "RS CR RF"


def test_empty_text_is_not_sent_by_handles_and_passes_as_raw_event() -> None:
    def use(ctx: Ctx) -> None:
        with ctx.message() as message:
            message.delta("")
        ctx.say("")
        with ctx.tool_call("f") as call:
            call.args("")
        with ctx.reasoning() as reasoning:
            reasoning.delta("")

    def raw(ctx: Ctx) -> None:
        with ctx.message() as message:
            ctx.emit(TextMessageContent(message.id, ""))

    assert sequence(emitted(use)) == "TS TE TS TE CS CE BS MS ME BE"
    assert sequence(emitted(raw)) == "TS TC TE"


def test_only_events_can_be_emitted() -> None:
    ctx, events = RunContext.for_test()
    wrong: Any = {"type": "CUSTOM"}
    with pytest.raises(TypeError, match="cannot emit dict: expected an event"):
        ctx.emit(wrong)
    assert not events


def test_a_refused_event_changes_nothing() -> None:
    ctx, events = RunContext.for_test()
    with pytest.raises(OrderingError, match="not-open"):
        ctx.emit(TextMessageContent("nowhere", "x"))
    ctx.say("x")
    assert sequence(list(events)) == "TS TC TE"


def test_reasoning_that_cannot_open_its_message_leaves_no_span_open() -> None:
    ctx, events = RunContext.for_test()
    from gateway.protocol.events import ReasoningMessageStart

    ctx.emit(ReasoningMessageStart("x"))
    with pytest.raises(OrderingError):
        ctx.reasoning(id="x")
    assert sequence(list(events)) == "MS BS BE"


def test_a_context_for_tests_knows_cancellation_and_state() -> None:
    ctx, events = RunContext.for_test(given(state={"hits": 1}), state_type=dict[str, int])
    assert ctx.state["hits"] == 1
    ctx.token.cancel("stopped")
    assert ctx.cancelled
    with pytest.raises(RunCancelledError):
        ctx.check_cancelled()
    with pytest.raises(RunCancelledError):
        ctx.say("x")
    assert len(events) == 0
    with pytest.raises(StateError):
        RunContext.for_test(given(state={"hits": "x"}), state_type=dict[str, int])


def test_a_context_for_tests_drains_and_waits() -> None:
    async def scenario() -> None:
        ctx, events = RunContext.for_test()
        ctx.say("x")
        await ctx.drain()
        assert await ctx.until_cancelled(asyncio.sleep(0, "done")) == "done"
        assert events[-1].type == "TEXT_MESSAGE_END"
        assert len(events[:2]) == 2

    asyncio.run(scenario())


def test_absent_members_are_absent() -> None:
    ctx, _ = RunContext.for_test(given(state=UNSET))
    assert ctx.state == {}
