"""Answers of Anthropic messages: content blocks that open, grow and close."""

from typing import Any

import msgspec
from msgspec import Struct

from gateway.llm.arguments import object_of
from gateway.llm.failure import failure_of_frame, malformed
from gateway.llm.providers.calls import OpenCall
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.layout import Layout, has_parts
from gateway.llm.providers.usage import anthropic_usage


class StreamEvent(Struct):
    """One frame of a stream; also an answer as a whole, which is a message."""

    type: str = ""
    index: int = 0
    message: Any = None
    content_block: dict[str, Any] | None = None
    delta: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None
    code: Any = None


DECODER = msgspec.json.Decoder(StreamEvent)
ANY = msgspec.json.Decoder(dict[str, Any])


class Block:
    """A content block while it grows; `raw` is what the provider gets back."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.kind = raw.get("type")
        self.call: OpenCall | None = None
        self.length = 0
        self.json: list[str] = []


class AnthropicDecoder(Decoder):
    """Reads named events up to `message_stop`, or one message as JSON."""

    format = "anthropic"

    def __init__(self, provider: str, taken: Any = ()) -> None:
        super().__init__(provider, taken)
        self._blocks: dict[int, Block] = {}
        self._counts: dict[str, Any] = {}
        self._model: Any = None
        self._stopped: str | None = None

    def _frame(self, payload: bytes) -> None:
        if payload == b"[DONE]":
            return
        event = self._decode(payload, DECODER, StreamEvent)
        if event.type == "content_block_delta":
            self._grow(event.index, event.delta or {})
        elif event.type == "content_block_start":
            self._open(event.index, event.content_block or {})
        elif event.type == "content_block_stop":
            self._close(event.index)
        elif event.type == "message_start" and isinstance(event.message, dict):
            self._begin(event.message)
        elif event.type == "message_delta":
            self._count(event.usage)
            self._stop(event.delta or {})
        elif event.type == "message_stop":
            self._end()
        elif event.error is not None or event.code is not None:
            raise failure_of_frame(self.provider, ANY.decode(payload))

    def _body(self, body: bytes) -> None:
        message = self._decode(body, ANY, dict[str, Any])
        if message.get("type") == "error" or message.get("error"):
            raise failure_of_frame(self.provider, message)
        if not isinstance(message.get("content"), list):
            raise malformed(self.provider, "the answer has no content")
        self._begin(message)
        for index, block in enumerate(message["content"]):
            self._open(index, block)
            self._close(index)
        self._stop(message)

    def _begin(self, message: dict[str, Any]) -> None:
        self._model = message.get("model")
        self._start(message.get("id"), self._model)
        self._count(message.get("usage"))

    def _count(self, usage: Any) -> None:
        """Counts are cumulative: the last one wins, field by field."""
        if isinstance(usage, dict):
            self._counts |= {key: value for key, value in usage.items() if value is not None}
            self._usage = anthropic_usage(self.provider, self._model, self._counts)

    def _stop(self, ending: dict[str, Any]) -> None:
        self._stopped = ending.get("stop_reason")
        details = ending.get("stop_details")
        if isinstance(details, dict) and isinstance(details.get("explanation"), str):
            self._refuse(details["explanation"])

    def _open(self, index: int, raw: dict[str, Any]) -> None:
        block = self._blocks[index] = Block(raw)
        if block.kind == "text":
            self._write(block, raw.get("text"))
        elif block.kind == "thinking":
            self._reason(raw.get("thinking") or "")
        elif block.kind == "tool_use":
            block.call = self._calls.open(raw.get("id") or None)
            block.call.name = str(raw.get("name") or "")
            self._calls.append(block.call, "")

    def _grow(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = Block({"type": "text", "text": ""})
        kind = delta.get("type")
        if kind == "text_delta":
            self._write(block, delta.get("text"))
        elif kind == "input_json_delta":
            self._argue(block, delta.get("partial_json") or "")
        elif kind == "thinking_delta":
            text = delta.get("thinking") or ""
            block.raw["thinking"] = (block.raw.get("thinking") or "") + text
            self._reason(text)
        else:
            _merge(block.raw, delta)

    def _write(self, block: Block, text: Any) -> None:
        if isinstance(text, str) and text:
            block.length += len(text)
            self._say(text)

    def _argue(self, block: Block, text: str) -> None:
        if block.call is not None:
            self._calls.append(block.call, text)
        else:
            block.json.append(text)

    def _close(self, index: int) -> None:
        block = self._blocks.get(index)
        if block is None:
            return
        if block.call is not None:
            given = block.raw.get("input")
            if given and not block.call.text:
                self._calls.append(block.call, msgspec.json.encode(given).decode())
            self._calls.end(block.call)
        elif block.json:
            block.raw["input"] = object_of("".join(block.json))

    # Citations are not replayed: they are marks on text that the history holds anyway.
    def _opaque(self) -> dict[str, Any] | None:
        layout: Layout = []
        for block in self._blocks.values():
            if block.call is not None:
                layout.append(block.call.id)
            elif block.kind != "text":
                layout += [block.raw] if _is_replayable(block.raw) else []
            elif block.length:
                layout.append(block.length)
        return {"layout": layout} if has_parts(layout) else None

    def _end(self) -> None:
        self._finish = self._stopped
        super()._end()

    def _fail(self, failure: Any) -> None:
        self._finish = self._stopped
        super()._fail(failure)


def _is_replayable(raw: dict[str, Any]) -> bool:
    """Thinking without a signature (a compatible server) would be refused."""
    return raw.get("type") != "thinking" or bool(raw.get("signature"))


def _merge(raw: dict[str, Any], delta: dict[str, Any]) -> None:
    """Members of a delta that only the provider understands: text grows, the rest is collected."""
    for key, value in delta.items():
        if key == "type":
            continue
        if key == "citation":
            raw["citations"] = [*(raw.get("citations") or []), value]
        elif isinstance(value, str):
            raw[key] = (raw.get(key) or "") + value
        else:
            raw[key] = value
