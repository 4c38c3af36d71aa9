"""Which piece of a tool call belongs to which call."""

from typing import Any

from gateway.llm.accumulator import Accumulator
from gateway.llm.model import CallArguments, CallEnd, CallStart, Delta, Finished
from gateway.llm.providers.calls import Calls

Piece = tuple[int | None, str | None, str | None, str]


def fold(*pieces: Piece, taken: tuple[str, ...] = ()) -> list[tuple[str, str, Any]]:
    """(id, name, arguments) of the calls that the pieces come to."""
    out: list[Delta] = []
    calls = Calls(out, taken)
    for index, id, name, text in pieces:
        calls.piece(index, id, name, text)
    calls.end_all()
    _assert_grammar(out)
    accumulator = Accumulator()
    accumulator.extend([*out, Finished("tool_calls")])
    return [(c.id, c.name, c.arguments) for c in accumulator.completion().tool_calls]


def _assert_grammar(deltas: list[Delta]) -> None:
    """Start, arguments and end in this order for each call, arguments never empty."""
    state: dict[int, str] = {}
    for delta in deltas:
        if isinstance(delta, CallStart):
            assert delta.index not in state
            state[delta.index] = "open"
        elif isinstance(delta, CallArguments):
            assert state[delta.index] == "open"
            assert delta.text
        elif isinstance(delta, CallEnd):
            assert state[delta.index] == "open"
            state[delta.index] = "ended"
    assert set(state.values()) <= {"ended"}


def test_pieces_follow_their_index() -> None:
    heads: list[Piece] = [(0, "a", "f", ""), (1, "b", "g", "")]
    tails: list[Piece] = [(0, None, None, '{"x":'), (1, None, None, "{}"), (0, None, None, "1}")]
    assert fold(*heads, *tails) == [("a", "f", {"x": 1}), ("b", "g", {})]


def test_a_new_id_on_a_used_index_opens_a_call() -> None:
    assert fold((0, "A", "f", '{"a":1}'), (0, "B", "g", "{}")) == [
        ("A", "f", {"a": 1}),
        ("B", "g", {}),
    ]


def test_pieces_on_one_index_go_to_the_call_of_their_id() -> None:
    pieces: list[Piece] = [(0, "A", "f", '{"a":'), (0, "B", "g", "{}"), (0, "A", None, "1}")]
    assert fold(*pieces) == [("A", "f", {"a": 1}), ("B", "g", {})]


def test_a_piece_without_index_and_id_continues_the_current_call() -> None:
    assert fold((None, "a", "f", '{"x":'), (None, None, None, "1}")) == [("a", "f", {"x": 1})]


def test_without_index_a_new_id_opens_a_call() -> None:
    assert len(fold((None, "a", "f", "{}"), (None, "b", "f", "{}"))) == 2


def test_without_index_and_id_a_name_opens_a_call() -> None:
    calls = fold((None, "", "f", "{}"), (None, "", "f", "{}"))
    assert [name for _, name, _ in calls] == ["f", "f"]
    assert len({id for id, _, _ in calls}) == 2


def test_a_repeated_id_and_name_are_not_doubled() -> None:
    assert fold((0, "0", "v", ""), (0, "0", "v", "{"), (0, "0", "v", "}")) == [("0", "v", {})]


def test_one_index_without_ids_opens_a_call_when_the_last_is_whole() -> None:
    calls = fold((0, None, "f", '{"a":1}'), (0, None, "g", '{"b":2}'))
    assert [(name, args) for _, name, args in calls] == [("f", {"a": 1}), ("g", {"b": 2})]


def test_equal_ids_become_unique_and_taken_ids_are_not_used_again() -> None:
    calls = fold((0, "w", "w", "{}"), (1, "w", "w", "{}"), (2, "old", "w", "{}"), taken=("old",))
    ids = [id for id, _, _ in calls]
    assert ids[0] == "w"
    assert len({*ids, "old"}) == 4


def test_the_word_null_is_no_id() -> None:
    ((id, _, _),) = fold((0, "null", "f", "{}"))
    assert id.startswith("call_")


def test_a_call_is_announced_once_its_name_is_known() -> None:
    assert fold((0, "a", None, '{"x"'), (0, None, "f", ":1}")) == [("a", "f", {"x": 1})]


def test_a_call_without_a_name_is_no_call() -> None:
    assert fold((0, "a", None, "{}")) == []
