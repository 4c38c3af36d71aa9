"""The verifier on the events that streams are made of, a thousand a round.

Timed: a loop of `feed` from interpreted code, so each figure holds one call into the core. The
cases differ in how much of the short way for content events applies: ids of an agent are one
object, ids off the wire are equal but distinct, and content of two blocks in turn never takes it.
"""

from collections.abc import Sequence
from itertools import chain, repeat

import msgspec
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from gateway.protocol.events import (
    Event,
    RunStarted,
    TextMessageContent,
    TextMessageStart,
    ToolCallArgs,
    ToolCallStart,
)
from gateway_native.verifier import Verifier

EVENTS = 1000


def _from_the_wire() -> list[TextMessageContent]:
    one = msgspec.json.encode(TextMessageContent("message-1", "some more text"))
    return [msgspec.json.decode(one, type=TextMessageContent) for _ in range(EVENTS)]


def _in_turn() -> list[Event]:
    pair: list[Event] = [TextMessageContent("message-1", "x"), ToolCallArgs("call-1", "x")]
    return list(chain.from_iterable(repeat(pair, EVENTS // 2)))


CASES: dict[str, Sequence[Event]] = {
    "one block, one id object": [TextMessageContent("message-1", "x") for _ in range(EVENTS)],
    "one block, ids off the wire": _from_the_wire(),
    "one block of a subagent": [
        TextMessageContent("message-2", "x", subagent_run_id="s") for _ in range(EVENTS)
    ],
    "two blocks in turn": _in_turn(),
}


@pytest.mark.parametrize("rules", ["consumer", "producer"])
@pytest.mark.parametrize("case", CASES)
def test_feed(benchmark: BenchmarkFixture, case: str, rules: str) -> None:
    verifier = Verifier(producer=rules == "producer")
    for event in (
        RunStarted("thread-1", "run-1"),
        TextMessageStart("message-1"),
        TextMessageStart("message-2", subagent_run_id="s"),
        ToolCallStart("call-1", "search"),
    ):
        verifier.feed(event)
    benchmark.group = f"verify {EVENTS} events, {rules} rules"
    benchmark(_feed_all, verifier, CASES[case])


def _feed_all(verifier: Verifier, events: Sequence[Event]) -> None:
    feed = verifier.feed
    for event in events:
        feed(event)
