"""Which messages a snapshot of the messages does not speak for."""

from typing import Any

import pytest

from gateway.protocol import (
    ActivityMessage,
    Message,
    MessagesSnapshot,
    ReasoningMessage,
    UserMessage,
)
from gateway.protocol.reducer import Reducer

HELD: list[Message] = [
    UserMessage("u", "hi"),
    ActivityMessage("a", "search", {}),
    ActivityMessage("b", "plan", {}),
    ReasoningMessage("r", ""),
]


def _kept(snapshot: list[Message], hint: Any = None) -> list[str]:
    reducer = Reducer(HELD)
    metadata = {"@ag-ui/client": hint} if hint is not None else {}
    reducer.feed(MessagesSnapshot(snapshot, metadata=metadata))
    return [message.id for message in reducer.messages]


def test_activities_and_reasoning_stay() -> None:
    assert _kept([]) == ["a", "b", "r"]


def test_a_snapshot_with_activities_owns_them_all() -> None:
    assert _kept([ActivityMessage("b", "plan", {})]) == ["b", "r"]


def test_a_snapshot_with_reasoning_owns_all_reasoning() -> None:
    assert _kept([ReasoningMessage("q", "")]) == ["a", "b", "q"]


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        (None, ["r"]),
        (["search"], ["b", "r"]),
        ([], ["a", "b", "r"]),
        (["search", 1], ["a", "b", "r"]),
        ("search", ["a", "b", "r"]),
    ],
)
def test_the_hint_names_the_types_that_a_snapshot_owns(types: Any, kept: list[str]) -> None:
    assert _kept([], {"authoritativeActivityTypes": types}) == kept
