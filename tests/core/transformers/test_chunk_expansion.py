"""ExpandChunks writes shorthand out."""

from gateway.protocol.events import (
    Custom,
    RunFinished,
    TextMessageChunk,
)
from gateway_native.transformers.chunk_expansion import ExpandChunks
from tests.core.streams import brief, started


def test_chunks_leave_as_blocks_that_other_events_end() -> None:
    stream = started(ExpandChunks())
    stream.emit(TextMessageChunk("m", delta="a"))
    stream.emit(TextMessageChunk(delta="b"))
    stream.emit(Custom("c", None))
    stream.emit(TextMessageChunk("m", delta="c"))
    stream.close_open(False)
    stream.end(RunFinished("t", "r"))
    assert brief(stream) == [
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m a",
        "TEXT_MESSAGE_CONTENT m b",
        "TEXT_MESSAGE_END m",
        "CUSTOM",
        "TEXT_MESSAGE_START m",
        "TEXT_MESSAGE_CONTENT m c",
        "TEXT_MESSAGE_END m",
        "RUN_FINISHED",
    ]
