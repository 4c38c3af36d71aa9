"""Splitters give the same payloads however the bytes are cut, within bounds of size and time."""

import base64
import json
import re
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway_native.errors import FrameTooLargeError
from gateway_native.splitter import LineSplitter, SseSplitter

VECTORS = Path(__file__).parent.parent / "data" / "vectors" / "sse_parse.jsonl"
RECORDED = [
    b"".join(base64.b64decode(chunk) for chunk in row["chunks_b64"])
    for row in map(json.loads, VECTORS.read_text().splitlines())
    if "chunks_b64" in row
]
PIECES = st.sampled_from(
    [
        b"\n",
        b"\r",
        b"\r\n",
        b"data:",
        b"data: ",
        b"data",
        b": c",
        b"id: 1",
        b"{}",
        b" x",
        b"\xef\xbb\xbf",
    ]
)
TEXTS = st.lists(PIECES | st.binary(max_size=4), max_size=30).map(b"".join)


def split(chunks: list[bytes], limit: int = 1 << 20) -> list[bytes]:
    splitter = SseSplitter(limit)
    payloads = [payload for chunk in chunks for payload in splitter.feed(chunk)]
    return payloads + splitter.finish()


def split_lines(chunks: list[bytes]) -> list[bytes]:
    splitter = LineSplitter()
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return lines + splitter.finish()


def cut(text: bytes, positions: list[int]) -> list[bytes]:
    edges = [0, *sorted(position % (len(text) + 1) for position in positions), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def expected(text: bytes) -> list[bytes]:
    """The rules of SSE, written for a whole text."""
    blocks = re.split(rb"\n\n+", re.sub(rb"\r\n?", b"\n", text.removeprefix(b"\xef\xbb\xbf")))
    data = [[line[5:] for line in b.split(b"\n") if line.startswith(b"data:")] for b in blocks]
    return [b"\n".join(line.removeprefix(b" ") for line in lines) for lines in data if lines]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["lf", "cr", "crlf"])
def test_all_line_ends_end_lines(end: bytes) -> None:
    text = end.join([b": hello", b"event: e", b"data: a", b"data:b", b"", b"data:  c", b"", b""])
    assert split([text]) == [b"a\nb", b" c"]


@pytest.mark.parametrize("text", RECORDED)
def test_every_cut_gives_the_same_payloads(text: bytes) -> None:
    whole = split([text])
    assert whole == expected(text)
    for position in range(len(text) + 1):
        assert split([text[:position], text[position:]]) == whole
    assert split([text[i : i + 1] for i in range(len(text))]) == whole


@given(TEXTS, st.lists(st.integers(0, 200), max_size=12))
def test_any_text_cut_anywhere_follows_the_rules(text: bytes, positions: list[int]) -> None:
    assert split(cut(text, positions)) == expected(text)


@given(TEXTS, st.lists(st.integers(0, 200), max_size=12))
def test_any_lines_cut_anywhere_are_the_same(text: bytes, positions: list[int]) -> None:
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    assert split_lines(cut(text, positions)) == [line for line in lines if line.strip()]


def test_byte_order_mark_is_removed_once() -> None:
    text = b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"
    assert split([text]) == [b"a"]
    assert split([text[:1], text[1:2], text[2:]]) == [b"a"]
    assert split([b"\xef\xbb"]) == []


def test_separators_of_other_formats_end_nothing() -> None:
    assert split(["data: a\u2028b\u2029c\x85d\x0be\x0cf\n\n".encode()]) == [
        "a\u2028b\u2029c\x85d\x0be\x0cf".encode()
    ]
    assert split_lines(["a\u2028b\x0cc\rd\r\n\n \r\ne".encode()]) == [
        "a\u2028b\x0cc\rd".encode(),
        b"e",
    ]


def test_lines_without_colon_and_blocks_without_data_give_nothing() -> None:
    assert split([b"data\n\n: c\n\nid: 1\nretry: 5\n\n data: x\n\nDATA: y\n\n"]) == []


def test_empty_data_is_a_payload() -> None:
    assert split([b"data:\n\ndata: \ndata:\n\n"]) == [b"", b"\n"]


def test_event_is_given_as_soon_as_its_blank_line_arrives() -> None:
    splitter = SseSplitter()
    assert splitter.feed(b"data: a\r") == []
    assert splitter.feed(b"\n\r") == [b"a"]
    assert splitter.feed(b"\ndata: b\r\r") == [b"b"]


def test_unfinished_block_at_the_limit_passes_and_beyond_it_is_refused() -> None:
    splitter = SseSplitter(limit=10)
    assert splitter.feed(b"data: 1234") == []
    assert splitter.feed(b"\n\n") == [b"1234"]
    assert splitter.feed(b"data: 1234567890\n\n") == [b"1234567890"]
    splitter.feed(b"data: 1234")
    with pytest.raises(FrameTooLargeError) as caught:
        splitter.feed(b"5")
    assert caught.value.limit == 10
    with pytest.raises(FrameTooLargeError):
        splitter.feed(b"\n\n")


def test_comments_count_against_the_limit() -> None:
    splitter = SseSplitter(limit=10)
    assert splitter.feed(b": x\n: x\n") == []
    with pytest.raises(FrameTooLargeError):
        splitter.feed(b": x\n")


def test_payloads_before_a_frame_too_large_are_given_first() -> None:
    cases: list[tuple[SseSplitter | LineSplitter, bytes]] = [
        (SseSplitter(limit=10), b"data: a\n\ndata: 1234567890"),
        (LineSplitter(limit=10), b"a\n12345678901"),
    ]
    for splitter, text in cases:
        assert splitter.feed(text) == [b"a"]
        with pytest.raises(FrameTooLargeError):
            splitter.feed(b"")
        with pytest.raises(FrameTooLargeError):
            splitter.finish()


def test_line_beyond_the_limit_is_refused() -> None:
    splitter = LineSplitter(limit=4)
    assert splitter.feed(b"1234") == []
    with pytest.raises(FrameTooLargeError):
        splitter.feed(b"5")


def seconds(count: int, text: bytes) -> float:
    """The least time for one frame in `count` chunks, of three."""
    times = []
    for _ in range(3):
        splitters = (SseSplitter(), LineSplitter())
        start = time.process_time()
        for splitter in splitters:
            for _ in range(count):
                splitter.feed(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("text", [b"x" * 64, b"data: x\r"], ids=["one line", "many lines"])
def test_frame_in_many_chunks_takes_linear_time(text: bytes) -> None:
    assert seconds(40_000, text) < 16 * seconds(5_000, text)
