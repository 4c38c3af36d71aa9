"""Encoding events to SSE frames, against the official `EventEncoder`, after construction.

Timed: events to bytes, nothing else. Deltas go out as the gateway sends them, 256 in one chunk,
and the figure is that of the chunk; `alone` is one `encode_sse` for each. Also a state snapshot of
25 KB, and the same with an integer beyond 64 bits. Ratios are asserted from one run.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest
from ag_ui.core import StateSnapshotEvent, TextMessageContentEvent
from ag_ui.encoder import EventEncoder
from pytest_benchmark.fixture import BenchmarkFixture

from gateway.protocol import Event, StateSnapshot, TextMessageContent, encode_sse
from gateway.protocol.encoder import encode_lines
from gateway_native.escape import escape_line_separators

COUNT = 256
ID = "msg_0123456789abcdef"
DELTAS = [f"The quick brown {index:03} " for index in range(COUNT)]
STATE: dict[str, Any] = {
    "items": [
        {"id": index, "name": f"item {index}", "done": index % 2 == 0, "score": index * 1.5}
        for index in range(400)
    ]
}

LEAST_RATIOS = {"chunk": 20, "alone": 6, "snapshot": 4}
"""Times faster than the official encoder."""

ours = [TextMessageContent(ID, delta) for delta in DELTAS]
theirs = [TextMessageContentEvent(message_id=ID, delta=delta) for delta in DELTAS]
snapshot = [StateSnapshot(STATE)]
exact = [StateSnapshot({**STATE, "wei": 2**70})]
their_snapshot = [StateSnapshotEvent(snapshot=STATE)]


def _chunk(events: list[Event]) -> bytes:
    lines = escape_line_separators(encode_lines(events))
    return b"data: " + lines.replace(b"\n", b"\n\ndata: ")[:-6]


def _alone(events: list[Event]) -> bytes:
    return b"".join([encode_sse(event) for event in events])


def _official(events: list[Any]) -> bytes:
    encode = EventEncoder().encode
    return "".join([encode(event) for event in events]).encode()


CASES: dict[str, tuple[Callable[[Any], bytes], Any, Any]] = {
    "chunk": (_chunk, ours, theirs),
    "alone": (_alone, ours, theirs),
    "snapshot": (_alone, snapshot, their_snapshot),
}


@pytest.mark.parametrize("case", CASES)
def test_gateway(case: str, benchmark: BenchmarkFixture) -> None:
    encode, events, _ = CASES[case]
    assert benchmark(encode, events).count(b"\n\n") == len(events)


@pytest.mark.parametrize("case", ["chunk", "snapshot"])
def test_official(case: str, benchmark: BenchmarkFixture) -> None:
    _, _, events = CASES[case]
    assert benchmark(_official, events).count(b"\n\n") == len(events)


def test_snapshot_with_a_big_integer(benchmark: BenchmarkFixture) -> None:
    assert benchmark(_alone, exact).count(b"\n\n") == 1


@pytest.mark.parametrize("case", CASES)
def test_ratio(case: str) -> None:
    encode, our_events, their_events = CASES[case]
    assert encode(our_events) == _official(their_events)
    ratio = _seconds(_official, their_events) / _seconds(encode, our_events)
    assert ratio >= LEAST_RATIOS[case], f"only {ratio:.1f} times faster"


def _seconds(encode: Callable[[Any], bytes], events: Any) -> float:
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        encode(events)
        best = min(best, time.perf_counter() - start)
    return best
