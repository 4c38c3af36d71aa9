"""Timestamps says when each event left."""

from gateway.protocol.events import (
    Custom,
    RunFinished,
    TextMessageStart,
)
from gateway_native.transformers.timestamps import Timestamps
from tests.core.streams import sent, started


def test_every_event_is_stamped_and_a_stamp_is_kept() -> None:
    ticks = iter(range(100))
    stream = started(Timestamps(lambda: next(ticks)))
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    stream.emit(Custom("c", None, timestamp=-5))
    stream.close_open(False)
    stream.end(RunFinished("t", "r"))
    assert [event["timestamp"] for event in sent(stream)] == [1, 2, -5, 3, 4]
