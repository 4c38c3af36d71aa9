"""What the benches of the core do: text events to SSE frames, by us and by the official SDK.

Each way takes 1000 deltas of one message, 20 characters each, to bytes. `official` creates a
`TextMessageContentEvent`, encodes it with `EventEncoder().encode` and the frame to UTF-8. `emit`
creates a `TextMessageContent` and sends it through two transformers and the verifier into the
stream; `text` hands the delta to the stream, which verifies it. Ours are flushed once, at the end,
in frames that are byte for byte the official ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ag_ui.core import TextMessageContentEvent
from ag_ui.encoder import EventEncoder

from gateway.protocol.events import RunStarted, TextMessageContent, TextMessageStart
from gateway_native.chain import Chain, Transformer
from gateway_native.stream import RunStream
from gateway_native.verifier import Verifier

COUNT = 1000
ID = "msg_0123456789abcdef"

TEXTS: dict[str, list[str]] = {
    "ascii": [f"word{n:04} and some text."[:20] for n in range(COUNT)],
    "korean": [f"안녕하세요 {n:04} 세상의 모든 말"[:20] for n in range(COUNT)],
    "typographic": [f"“it’s {n:04} – or so…”  "[:20] for n in range(COUNT)],
}
"""Deltas by script: one, three, and a mixture of one and three bytes a character."""

Way: TypeAlias = Callable[[], bytes]


def official(deltas: list[str]) -> Way:
    """The official SDK's way."""
    encode = EventEncoder().encode

    def run() -> bytes:
        frames = [
            encode(TextMessageContentEvent(message_id=ID, delta=delta)).encode() for delta in deltas
        ]
        return b"".join(frames)

    return run


def emit(deltas: list[str]) -> Way:
    """Events through two transformers."""
    stream = _stream([Transformer(), Transformer()])

    def run() -> bytes:
        send = stream.emit
        for delta in deltas:
            send(TextMessageContent(ID, delta))
        return stream.flush()

    return run


def text(deltas: list[str]) -> Way:
    """Deltas without events."""
    stream = _stream([])

    def run() -> bytes:
        send = stream.text
        for delta in deltas:
            send(ID, delta)
        return stream.flush()

    return run


WAYS: dict[str, Callable[[list[str]], Way]] = {"official": official, "emit": emit, "text": text}


def _stream(transformers: list[Transformer]) -> RunStream:
    stream = RunStream(Chain(transformers), Verifier(True, True, "t", "r"))
    stream.emit(RunStarted("t", "r"))
    stream.emit(TextMessageStart(ID))
    stream.flush()
    return stream
