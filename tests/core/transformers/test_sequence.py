"""SequentialBlocks never has two blocks open on the wire, and loses nothing."""

import random
from collections import defaultdict
from typing import Any

import pytest

from gateway.protocol.events import Custom, Event, RunFinished, ToolCallResult
from gateway_native.transformers.sequence import SequentialBlocks
from tests.core.streams import brief, build, sent, started

OPENING = ("TEXT_MESSAGE_START", "REASONING_MESSAGE_START", "TOOL_CALL_START")
ENDING = ("TEXT_MESSAGE_END", "REASONING_MESSAGE_END", "TOOL_CALL_END")


def through(text: str) -> list[str]:
    stream = started(SequentialBlocks())
    for event in build(text):
        stream.emit(event)
    stream.close_open(False)
    stream.end(RunFinished("t", "r"))
    return brief(stream)[:-1]


def test_text_is_ended_and_opened_again_around_a_call() -> None:
    assert through("""
        TEXT_MESSAGE_START m
        TEXT_MESSAGE_CONTENT m a
        TOOL_CALL_START c search
        TOOL_CALL_ARGS c {}
        TOOL_CALL_END c
        TEXT_MESSAGE_CONTENT m b
        TEXT_MESSAGE_END m
    """) == [
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m a",
        "TEXT_MESSAGE_END m",
        "TOOL_CALL_START c",
        "TOOL_CALL_ARGS c {}",
        "TOOL_CALL_END c",
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m b",
        "TEXT_MESSAGE_END m",
    ]


def test_text_that_does_not_go_on_is_not_opened_again() -> None:
    assert through("""
        TEXT_MESSAGE_START m
        TOOL_CALL_START c search
        TEXT_MESSAGE_END m
        TOOL_CALL_END c
    """) == [
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_END m",
        "TOOL_CALL_START c",
        "TOOL_CALL_END c",
    ]


def test_what_comes_while_a_call_is_open_waits_for_its_end() -> None:
    assert through("""
        TOOL_CALL_START c search
        TEXT_MESSAGE_START m
        TOOL_CALL_START d fetch
        TEXT_MESSAGE_CONTENT m a
        TOOL_CALL_ARGS c 1
        TOOL_CALL_ARGS d 2
        TOOL_CALL_END c
        TEXT_MESSAGE_CONTENT m b
        TOOL_CALL_END d
        TEXT_MESSAGE_END m
    """) == [
        "TOOL_CALL_START c",
        "TOOL_CALL_ARGS c 1",
        "TOOL_CALL_END c",
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_END m",
        "TOOL_CALL_START d",
        "TOOL_CALL_ARGS d 2",
        "TOOL_CALL_END d",
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m a",
        "TEXT_MESSAGE_CONTENT m b",
        "TEXT_MESSAGE_END m",
    ]


def test_a_run_that_fails_in_a_call_still_ends_in_order() -> None:
    assert through("""
        TOOL_CALL_START c search
        TEXT_MESSAGE_START m
        TEXT_MESSAGE_CONTENT m a
    """) == [
        "TOOL_CALL_START c",
        "TOOL_CALL_END c",
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m a",
        "TEXT_MESSAGE_END m",
    ]


def random_events(rng: random.Random) -> list[Event]:
    """Lawful interleaved blocks of all three families, among other events."""
    families = [
        ("TEXT_MESSAGE_START {}", "TEXT_MESSAGE_CONTENT {} {}", "TEXT_MESSAGE_END {}"),
        (
            "REASONING_MESSAGE_START {}",
            "REASONING_MESSAGE_CONTENT {} {}",
            "REASONING_MESSAGE_END {}",
        ),
        ("TOOL_CALL_START {} tool", "TOOL_CALL_ARGS {} {}", "TOOL_CALL_END {}"),
    ]
    open_now: dict[tuple[int, str], bool] = {}
    events: list[Event] = []
    for number in range(60):
        family, id = rng.randrange(3), rng.choice("ab")
        key = (family, id)
        start, content, end = families[family]
        if rng.random() < 0.15:
            events.append(Custom(f"n{number}", None))
        elif key not in open_now:
            events += build(start.format(id))
            open_now[key] = True
        elif rng.random() < 0.7:
            events += build(content.format(id, f"{number}"))
        else:
            events += build(end.format(id))
            del open_now[key]
            if family == 2:
                events.append(ToolCallResult(f"r{number}", id, "x"))
    return events


def texts(events: list[dict[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = defaultdict(str)
    for event in events:
        if "delta" in event:
            id = event.get("messageId") or event["toolCallId"]
            found[event["type"] + id] += event["delta"] + " "
    return found


@pytest.mark.parametrize("seed", range(40))
def test_one_block_at_a_time_and_nothing_lost(seed: int) -> None:
    events = random_events(random.Random(seed))
    plain, sequential = started(), started(SequentialBlocks())
    for stream in (plain, sequential):
        for event in events:
            stream.emit(event)
        stream.close_open(False)
        stream.end(RunFinished("t", "r"))
    before, after = sent(plain), sent(sequential)
    assert texts(before) == texts(after)
    assert [e["name"] for e in before if e["type"] == "CUSTOM"] == [
        e["name"] for e in after if e["type"] == "CUSTOM"
    ]
    depth = 0
    for one in after:
        depth += (one["type"] in OPENING) - (one["type"] in ENDING)
        assert depth in (0, 1)
