"""Neither long nor many runs take more memory as they go on.

Measured is the resident set of the process after a warm-up, with allowance for what the allocator
keeps; a leak of a single object for each event or run would be many times that.
"""

import gc
import resource
from pathlib import Path

import pytest

from gateway.protocol.events import (
    RunFinished,
    RunStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
)
from gateway_native.chain import Chain, Transformer
from gateway_native.stream import RunStream
from gateway_native.transformers.redaction import RedactText
from gateway_native.verifier import Verifier
from tests.core.streams import started

ALLOWANCE = 1 << 20


def resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def send_deltas(stream: RunStream, count: int) -> None:
    for number in range(count):
        stream.text("m", "a delta of twenty ch")
        if number % 500 == 0:
            stream.flush()


def short_runs(count: int) -> None:
    for _ in range(count):
        chain = Chain([Transformer(), RedactText(["secret"])])
        stream = RunStream(chain, Verifier(True, True, "t", "r"))
        stream.on_pending = stream.flush  # a cycle, as a run has
        stream.emit(RunStarted("t", "r"))
        stream.emit(TextMessageStart("m"))
        stream.emit(TextMessageContent("m", "hello"))
        stream.emit(TextMessageEnd("m"))
        stream.end(RunFinished("t", "r"))
        stream.flush()


def test_a_million_deltas_of_one_message_take_no_memory() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    send_deltas(stream, 50_000)
    before = resident()
    send_deltas(stream, 1_000_000)
    assert resident() - before < ALLOWANCE
    assert stream.events == 1_050_002


def test_a_redacted_message_takes_no_memory_beyond_its_tail() -> None:
    stream = started(RedactText(["secret"]))
    stream.emit(TextMessageStart("m"))
    send_deltas(stream, 5_000)
    before = resident()
    send_deltas(stream, 50_000)
    assert resident() - before < ALLOWANCE


def test_short_runs_leave_nothing_behind(request: pytest.FixtureRequest) -> None:
    count = 100_000 if request.config.getoption("soak") else 5_000
    short_runs(2_000)
    before = resident()
    short_runs(count)
    assert resident() - before < ALLOWANCE
