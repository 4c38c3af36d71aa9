"""Answers of OpenAI's Responses API: output items, and typed events about them."""

from typing import Any

import msgspec
from msgspec import Struct

from gateway.llm.failure import failure_of_frame, malformed
from gateway.llm.providers.calls import OpenCall
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.layout import Layout, has_parts
from gateway.llm.providers.usage import chat_usage


class StreamEvent(Struct):
    """One frame of a stream."""

    type: str = ""
    delta: Any = None
    output_index: int = 0
    item: dict[str, Any] | None = None
    response: dict[str, Any] | None = None
    error: Any = None
    code: Any = None
    message: Any = None


DECODER = msgspec.json.Decoder(StreamEvent)
ANY = msgspec.json.Decoder(dict[str, Any])
REASONING = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")


class Item:
    """An output item while it grows; `said` is false until a delta has shown a part of it."""

    def __init__(self) -> None:
        self.raw: dict[str, Any] = {}
        self.call: OpenCall | None = None
        self.said = False
        self.closed = False
        self.length = 0


class ResponsesDecoder(Decoder):
    """Reads typed events up to `response.completed` and its siblings, or one response as JSON."""

    format = "responses"

    def __init__(self, provider: str, taken: Any = ()) -> None:
        super().__init__(provider, taken)
        self._items: dict[int, Item] = {}

    def _frame(self, payload: bytes) -> None:
        if payload == b"[DONE]":
            return
        event = self._decode(payload, DECODER, StreamEvent)
        kind = event.type
        if kind == "response.output_text.delta":
            self._write(self._item(event.output_index), event.delta)
        elif kind in REASONING and isinstance(event.delta, str):
            self._item(event.output_index).said = True
            self._reason(event.delta)
        elif kind == "response.function_call_arguments.delta":
            self._argue(self._item(event.output_index), event.delta)
        elif kind == "response.refusal.delta" and isinstance(event.delta, str):
            self._item(event.output_index).said = True
            self._refuse(event.delta)
        else:
            self._milestone(event, payload)

    def _milestone(self, event: StreamEvent, payload: bytes) -> None:
        kind = event.type
        if kind == "response.output_item.added":
            self._open(event.output_index, event.item or {})
        elif kind == "response.output_item.done":
            self._close(event.output_index, event.item or {})
        elif kind == "response.created" and event.response:
            self._start(event.response.get("id"), event.response.get("model"))
        elif kind in ENDS and event.response is not None:
            self._response(event.response)
            self._end()
        elif kind == "error" or event.error is not None:
            raise failure_of_frame(self.provider, ANY.decode(payload))

    def _body(self, body: bytes) -> None:
        response = self._decode(body, ANY, dict[str, Any])
        if not isinstance(response.get("output"), list) and not response.get("error"):
            raise malformed(self.provider, "the answer has no output")
        self._response(response)

    def _response(self, response: dict[str, Any]) -> None:
        """The whole object, at the end of a stream or alone; shows what no event has shown."""
        self._start(response.get("id"), response.get("model"))
        if isinstance(response.get("usage"), dict):
            self._usage = chat_usage(self.provider, response.get("model"), response["usage"])
        if response.get("error") or response.get("status") == "failed":
            error = response.get("error") or {"type": "server_error", "message": "it failed"}
            raise failure_of_frame(self.provider, {"error": error})
        for index, raw in enumerate(response.get("output") or ()):
            if not self._item(index).closed:
                self._close(index, raw)
        self._finish = _finish_of(response)

    def _item(self, index: int) -> Item:
        item = self._items.get(index)
        if item is None:
            item = self._items[index] = Item()
        return item

    def _open(self, index: int, raw: dict[str, Any]) -> Item:
        item = self._item(index)
        item.raw = raw
        if raw.get("type") == "function_call" and item.call is None:
            item.call = self._calls.open(raw.get("call_id") or raw.get("id") or None)
            item.call.name = str(raw.get("name") or "")
            self._calls.append(item.call, "")
        return item

    def _close(self, index: int, raw: dict[str, Any]) -> None:
        item = self._open(index, raw)
        item.closed = True
        if item.call is not None:
            if not item.call.text:
                self._calls.append(item.call, raw.get("arguments") or "")
            self._calls.end(item.call)
        elif not item.said:
            self._show(item, raw)

    def _show(self, item: Item, raw: dict[str, Any]) -> None:
        """The parts of an item that was not streamed."""
        for part in (*(raw.get("summary") or ()), *(raw.get("content") or ())):
            text = part.get("text") or ""
            if part.get("type") == "output_text":
                self._write(item, text)
            elif part.get("type") == "refusal":
                self._refuse(part.get("refusal") or "")
            elif part.get("type") in ("summary_text", "reasoning_text"):
                self._reason(text)

    def _write(self, item: Item, text: Any) -> None:
        if isinstance(text, str) and text:
            item.said = True
            item.length += len(text)
            self._say(text)

    def _argue(self, item: Item, text: Any) -> None:
        if item.call is not None and isinstance(text, str):
            self._calls.append(item.call, text)

    def _opaque(self) -> dict[str, Any] | None:
        layout: Layout = []
        for item in self._items.values():
            if item.call is not None:
                layout.append(item.call.id)
            elif item.raw.get("type") == "reasoning":
                layout += [item.raw] if item.raw.get("encrypted_content") else []
            elif item.length:
                layout.append(item.length)
        return {"layout": layout} if has_parts(layout) else None


def _finish_of(response: dict[str, Any]) -> str:
    status = str(response.get("status") or "completed")
    details = response.get("incomplete_details")
    if status == "incomplete" and isinstance(details, dict):
        return f"incomplete:{details.get('reason')}"
    return status
