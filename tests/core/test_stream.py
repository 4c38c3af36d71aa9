"""One run's output: order, frames, deltas, blame and the end."""

import pytest

from gateway.errors import OrderingError
from gateway.protocol.events import (
    RunError,
    RunFinished,
    RunStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
)
from gateway_native.chain import Chain
from gateway_native.stream import RunStream
from gateway_native.verifier import Verifier


def started(chain: Chain | None = None) -> RunStream:
    stream = RunStream(chain or Chain([]), Verifier())
    stream.emit(RunStarted("t", "r"))
    return stream


def test_events_and_deltas_leave_in_order_as_frames() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    stream.text("m", "b\n")
    stream.emit(TextMessageContent("m", "c"))
    stream.close_open(False)
    stream.end(RunFinished("t", "r"))
    assert stream.flush() == (
        b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_START","messageId":"m"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b\\n"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"c"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_END","messageId":"m"}\n\n'
        b'data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n\n'
    )


def test_nothing_follows_the_terminal_event() -> None:
    stream = started()
    stream.end(RunError("broken"))
    with pytest.raises(OrderingError, match="run-ended"):
        stream.end(RunError("again"))
    with pytest.raises(OrderingError, match="run-ended"):
        stream.emit(TextMessageEnd("m"))
