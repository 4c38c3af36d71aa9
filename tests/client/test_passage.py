"""Frames that are passed on as they came say exactly what the full path would have said."""

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.client.bounds import Bounds
from gateway.client.intake import Intake
from gateway.client.passage import Passage, PassageIntake
from gateway.client.transport import RecordedIncoming
from gateway.errors import UpstreamError
from gateway.protocol.encoder import encode_event
from gateway.protocol.pipeline import Pipeline
from gateway.protocol.sse import SseReader
from tests.client.upstream import finished, frames, started, text


def _content(delta: str, id: str = "m1", **members: Any) -> bytes:
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta, **members}
    return frames(event)[0]


def _intake(kind: type[Intake], pieces: list[bytes]) -> tuple[list[Any], str]:
    """All items, and the fault."""

    async def read() -> tuple[list[Any], str]:
        incoming = RecordedIncoming(b"", "text/event-stream")
        intake = kind(incoming, Pipeline(), Bounds())
        items: list[Any] = []
        try:
            for piece in [*pieces, b""]:
                intake.bytes += len(piece)
                items += intake.digest(piece)
                if intake._fault is not None:
                    raise intake._fault
        except UpstreamError as error:
            return items, str(error)
        return items, ""

    return asyncio.run(read())


def _json(items: list[Any]) -> list[Any]:
    """The events behind items, those of passages from their frames."""
    events: list[Any] = []
    for item in items:
        if isinstance(item, Passage):
            read = SseReader().feed(item.frames)
            assert [json.loads(encode_event(event)) for event in item.events()] == read
            events += read
        else:
            events.append(json.loads(encode_event(item)))
    return events


def _assert_same(pieces: list[bytes]) -> list[Any]:
    quick, quick_fault = _intake(PassageIntake, pieces)
    full, full_fault = _intake(Intake, pieces)
    assert _json(quick) == _json(full)
    assert quick_fault == full_fault
    return quick


OPEN = frames(started(), text()[0])
CLOSE = frames(text()[-1], finished())


def _passed(items: list[Any]) -> int:
    return sum(item.count for item in items if isinstance(item, Passage))


def test_a_row_of_deltas_is_one_passage() -> None:
    row = [_content(f"word {n}") for n in range(100)]
    items = _assert_same([b"".join([*OPEN, *row, *CLOSE])])
    assert _passed(items) == 99
    assert len(items) == 6


def test_other_spellings_of_a_frame_pass_too() -> None:
    spaced = b'data:{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "%d" }\n\n'
    row = [spaced % n for n in range(10)]
    assert _passed(_assert_same([b"".join([*OPEN, *row, *CLOSE])])) == 9


def test_two_blocks_at_a_time_are_rows_of_their_own() -> None:
    second = frames({"type": "TEXT_MESSAGE_START", "messageId": "m2"})
    row = [_content("a")] * 5 + [_content("b", "m2")] * 5 + [_content("c")] * 5
    end = frames({"type": "TEXT_MESSAGE_END", "messageId": "m2"})
    items = _assert_same([b"".join([*OPEN, *second, *row, *end, *CLOSE])])
    assert _passed(items) == 12


def test_tagged_arguments_and_reasoning_pass() -> None:
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n"}
    args = [{"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{"}] * 4
    end = {"type": "TOOL_CALL_END", "toolCallId": "c"}
    thought: list[dict[str, Any]] = [
        {"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"},
        *[{"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "x"}] * 4,
        {"type": "REASONING_MESSAGE_END", "messageId": "r"},
    ]
    body = b"".join(frames(started(), call, *args, end, *thought, finished()))
    assert _passed(_assert_same([body])) == 6


PREFIX = b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":'

TRICKS = [
    PREFIX + b'"a","delta":"b"}\n\n',
    PREFIX + b'"a","zzz":1}\n\n',
    PREFIX + b'"a","b"}\n\n',
    PREFIX + b'"a"\n}\n\n',
    PREFIX + b'"a",\n\n"b"}\n\n',
    PREFIX + b'"a\n"}\n\n',
    PREFIX + b'"a}\n\n' + PREFIX + b'b"}\n\n' + PREFIX + b'"x","y"}\n\n',
    PREFIX + b'"a"}}\n\n',
    PREFIX + b'"a"}\n\n\n\n',
    PREFIX + b'"a"}\n: comment\n\n',
    PREFIX + b'"a"}\ndata: \n\n',
    PREFIX + b"5}\n\n",
    PREFIX + b"null}\n\n",
    PREFIX + b'["a"]}\n\n',
    PREFIX + b'"\\ud800"}\n\n',
    PREFIX + b'"\xff"}\n\n',
    PREFIX + b'"\xe2\x80\xa8"}\n\n',
    PREFIX + b'"a"}\r\n\r\n',
    PREFIX + b'"a" , "timestamp":5}\n\n',
    PREFIX + b'"}\\n\\ndata: "}\n\n',
    PREFIX + b'"a"}',
    PREFIX,
    b": ping\n\n",
    _content("b", "m2"),
    _content("", "m1", timestamp=5),
    _content("", "m1", rawEvent=None),
    _content("", "m1", metadata={"a": 1}),
    _content("", "m1", subagentRunId="s"),
    *CLOSE,
    *OPEN,
]
"""Frames that begin like those of a row and are something else, and some honest ones."""


@pytest.mark.parametrize("trick", TRICKS)
def test_what_only_looks_like_the_row_takes_the_full_path(trick: bytes) -> None:
    row = [_content("x")] * 3
    _assert_same([b"".join([*OPEN, *row, trick, *row, *CLOSE])])
    _assert_same([b"".join([*OPEN, *row]), trick, b"".join([*row, *CLOSE])])


@given(
    st.lists(st.sampled_from([*TRICKS, _content("x"), _content("y" * 50)]), max_size=12),
    st.lists(st.integers(0, 2000), max_size=6),
)
def test_any_mixture_cut_anywhere_comes_to_the_same(parts: list[bytes], cuts: list[int]) -> None:
    body = b"".join([*OPEN, _content("x"), *parts])
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(body)}), len(body)]
    pieces = [body[a:b] for a, b in pairwise(edges)]
    _assert_same(pieces)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=20))
def test_any_text_passes(deltas: list[str]) -> None:
    row = [_content(delta) for delta in deltas]
    items = _assert_same([b"".join([*OPEN, *row, *CLOSE])])
    assert _passed(items) == len(deltas) - 1
