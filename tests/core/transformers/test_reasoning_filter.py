"""DropReasoning keeps what the model thought."""

from gateway.protocol.events import (
    MessagesSnapshot,
    ReasoningEncryptedValue,
    ReasoningEnd,
    ReasoningMessageChunk,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    ReasoningStart,
)
from gateway.protocol.messages import ReasoningMessage, UserMessage
from gateway_native.transformers.reasoning_filter import DropReasoning
from tests.core.streams import sent, started


def test_reasoning_is_dropped_in_all_its_forms() -> None:
    stream = started(DropReasoning())
    stream.emit(ReasoningStart("g"))
    stream.emit(ReasoningMessageStart("g"))
    stream.reasoning("g", "secret")
    stream.emit(ReasoningMessageContent("g", "secret"))
    stream.emit(ReasoningMessageEnd("g"))
    stream.emit(ReasoningEnd("g"))
    stream.emit(ReasoningEncryptedValue("message", "g", "opaque"))
    stream.emit(ReasoningMessageChunk("h", "secret"))
    stream.emit(ReasoningMessageChunk(delta="secret"))
    assert stream.flush() == b""
    stream.emit(MessagesSnapshot([UserMessage("u", "hi"), ReasoningMessage("g", "secret")]))
    assert [message["id"] for message in sent(stream)[0]["messages"]] == ["u"]


def test_encrypted_values_of_what_is_sent_pass() -> None:
    stream = started(DropReasoning())
    stream.emit(ReasoningEncryptedValue("message", "m", "opaque"))
    stream.emit(ReasoningEncryptedValue("tool-call", "c", "opaque"))
    assert len(sent(stream)) == 2
