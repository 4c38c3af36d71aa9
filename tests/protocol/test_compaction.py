"""Compaction keeps the meaning; `tests/replay` has the official client's rows."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.protocol import (
    Custom,
    Event,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
)
from gateway.protocol.compaction import compact
from gateway.protocol.notices import Notice
from gateway.protocol.reducer import Reducer


def _message(id: str, deltas: list[str]) -> list[Event]:
    contents = [TextMessageContent(id, delta) for delta in deltas]
    return [TextMessageStart(id), *contents, TextMessageEnd(id)]


@given(st.lists(st.lists(st.text(max_size=3), max_size=5), max_size=4), st.integers(0, 3))
def test_messages_and_state_are_the_same_after_compaction(
    texts: list[list[str]], changes: int
) -> None:
    events: list[Event] = [RunStarted("t", "r"), StateSnapshot({"n": 0})]
    for index, deltas in enumerate(texts):
        events += _message(f"m{index}", deltas)
    for change in range(changes):
        events.append(StateDelta([{"op": "replace", "path": "/n", "value": change}]))
    events.append(RunFinished("t", "r"))
    plain, compacted = Reducer(state={}), Reducer(state={})
    shorter = compact(events)
    for event in events:
        plain.feed(event)
    for event in shorter:
        compacted.feed(event)
    assert compacted.messages == plain.messages
    assert compacted.state == plain.state
    assert len(shorter) <= 3 + 3 * len(texts)


def test_what_arrived_meanwhile_comes_behind_the_message() -> None:
    start, content, end = _message("m", ["x"])
    assert compact([start, Custom("c", 1), content, end]) == [start, content, end, Custom("c", 1)]


def test_a_patch_that_cannot_be_applied_is_left_out() -> None:
    notices: list[Notice] = []
    events: list[Event] = [StateSnapshot({}), StateDelta([{"op": "remove", "path": "/x"}])]
    assert compact(events, notices.append) == [StateSnapshot({})]
    assert [notice.code for notice in notices] == ["unappliable"]
