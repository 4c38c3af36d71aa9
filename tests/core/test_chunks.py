"""Chunk expansion: what comes out, what ends an item, and what a refusal leaves alone."""

from itertools import islice
from typing import Any

import pytest

from gateway.errors import OrderingError
from gateway.protocol import events as e
from gateway.protocol.base import UNSET
from gateway_native.blocks import FAMILY_OF, TEXT
from gateway_native.chunks import CHUNK, CLOSES_ALL, EFFECT_OF, ChunkExpander
from tests.core.sequences import Source


def expand(*events: e.Event) -> list[e.Event]:
    expander = ChunkExpander()
    return [one for event in events for one in expander.feed(event)]


def text(id: Any = UNSET, delta: Any = UNSET, **others: Any) -> e.TextMessageChunk:
    return e.TextMessageChunk(id, delta=delta, **others)


def test_a_message_in_chunks_starts_goes_on_and_ends() -> None:
    assert expand(text("m", "a"), text(delta="b"), e.RunFinished("t", "r")) == [
        e.TextMessageStart("m", "assistant"),
        e.TextMessageContent("m", "a"),
        e.TextMessageContent("m", "b"),
        e.TextMessageEnd("m"),
        e.RunFinished("t", "r"),
    ]


def test_another_id_or_family_ends_the_item_of_the_lane() -> None:
    kinds = [
        event.type
        for event in expand(
            text("m", "a"), text("n"), e.ToolCallChunk("c", "t"), e.ReasoningMessageChunk("g")
        )
    ]
    assert kinds == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_END",
        "REASONING_MESSAGE_START",
    ]


def test_metadata_goes_on_start_and_content_and_raw_event_on_content() -> None:
    start, content = expand(text("m", "a", metadata={"k": 1}, raw_event=5, timestamp=9))
    assert start == e.TextMessageStart("m", "assistant", metadata={"k": 1})
    assert content == e.TextMessageContent("m", "a", metadata={"k": 1}, raw_event=5)


def test_metadata_alone_is_carried_by_an_empty_delta() -> None:
    out = expand(text("m"), text(metadata={"k": 1}), text())
    assert out[1:] == [e.TextMessageContent("m", "", metadata={"k": 1})]


def test_owners_have_lanes_of_their_own() -> None:
    out = expand(text("m", "a"), text("n", "b", subagent_run_id="s"), text(delta="c"))
    assert out[-1] == e.TextMessageContent("m", "c")


def test_a_continuation_without_a_tag_gets_the_opener_s() -> None:
    out = expand(text("m", "a", subagent_run_id="s"), text(delta="b"))
    assert out[-1] == e.TextMessageContent("m", "b", subagent_run_id="s")


def test_the_end_of_a_subagent_ends_what_it_writes() -> None:
    out = expand(text("m", subagent_run_id="s"), text("n"), e.SubagentFinished("s"))
    assert out[2:] == [e.TextMessageEnd("m", subagent_run_id="s"), e.SubagentFinished("s")]


def test_an_end_of_stream_ends_nothing() -> None:
    expander = ChunkExpander()
    expander.feed(text("m", "a"))
    assert expander.holds(TEXT, "m")


@pytest.mark.parametrize(
    "event",
    [e.Raw(1), e.ActivityDelta("a", "x", []), e.SubagentStarted("s", "n")],
    ids=lambda event: event.type,
)
def test_what_says_nothing_about_the_item_does_not_end_it(event: e.Event) -> None:
    assert expand(text("m", "a"), event, text(delta="b"))[2:] == [
        event,
        e.TextMessageContent("m", "b"),
    ]


def test_what_comes_out_is_whole_whatever_comes_in() -> None:
    """Nothing but starts before contents before ends, each delta once, and refusals without trace.

    The expander may be asked about any sequence, lawful or not, for the verifier comes after it.
    """
    for seed in range(60):
        expander = ChunkExpander()
        written: set[tuple[int, str]] = set()
        for place, event in enumerate(islice(Source(seed), 400)):
            where = f"seed {seed}, event {place}: {event}"
            before = dict(expander.lanes)
            try:
                out = expander.feed(event)
            except OrderingError as error:
                refused = error
                is_untouched = expander.lanes == before
            else:
                follow(written, [one for one in out if one is not event], where)
                require_accounted(event, out, written, where)
                continue
            require_refusal(event, refused, is_untouched, where)


def require_refusal(event: e.Event, error: OrderingError, untouched: bool, where: str) -> None:
    assert untouched, where
    assert EFFECT_OF[event.kind] == CHUNK, where
    assert error.rule in ("out-of-order", "wrong-owner"), where


def require_accounted(event: Any, out: list[Any], written: set[Any], where: str) -> None:
    if EFFECT_OF[event.kind] != CHUNK:
        assert out[-1] is event, where
    elif event.delta is not UNSET:
        assert out[-1].delta == event.delta, where
    if EFFECT_OF[event.kind] == CLOSES_ALL:
        assert not written, where


def follow(written: set[tuple[int, str]], synthesized: list[Any], where: str) -> None:
    for event in synthesized:
        key = (FAMILY_OF[event.kind], getattr(event, event.__struct_fields__[0]))
        is_start = event.type.endswith("_START")
        assert (key in written) != is_start, where
        if is_start:
            written.add(key)
        elif event.type.endswith("_END"):
            written.remove(key)
