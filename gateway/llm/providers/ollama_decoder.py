"""Answers of Ollama's own API: one JSON object a line, the last one with `done`."""

from typing import Any

import msgspec
from msgspec import Struct

from gateway.llm.failure import failure_of_frame, malformed
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.usage import ollama_usage
from gateway_native.splitter import LineSplitter, SseSplitter


class Function(Struct):
    name: str = ""
    arguments: Any = None


class OllamaCall(Struct):
    function: Function
    id: str | None = None


class OllamaMessage(Struct):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[OllamaCall] | None = None


class Line(Struct):
    model: Any = None
    message: OllamaMessage | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: Any = None


DECODER = msgspec.json.Decoder(Line)


class OllamaDecoder(Decoder):
    """Reads lines up to the one that is done, or one JSON body, which is such a line."""

    format = "ollama"

    def __init__(self, provider: str, taken: Any = ()) -> None:
        super().__init__(provider, taken)
        self._thinking: list[str] = []

    def _make_splitter(self) -> SseSplitter | LineSplitter:
        return LineSplitter()

    def _frame(self, payload: bytes) -> None:
        line = self._decode(payload, DECODER, Line)
        self._line(line)
        if line.done:
            self._end()

    def _body(self, body: bytes) -> None:
        line = self._decode(body, DECODER, Line)
        if line.error is None and line.message is None:
            raise malformed(self.provider, "the answer has no message")
        self._line(line)

    def _line(self, line: Line) -> None:
        if line.error is not None:
            value = line.error if isinstance(line.error, dict) else {"message": line.error}
            raise failure_of_frame(self.provider, {"error": value})
        if not self._started:
            self._start("", line.model)
        if line.message is not None:
            self._message(line.message)
        if line.done:
            self._finish = line.done_reason or "stop"
            counts = {"prompt_eval_count": line.prompt_eval_count, "eval_count": line.eval_count}
            self._usage = ollama_usage(self.provider, line.model, counts)

    def _message(self, message: OllamaMessage) -> None:
        if message.thinking:
            self._thinking.append(message.thinking)
            self._reason(message.thinking)
        if message.content:
            self._say(message.content)
        for call in message.tool_calls or ():
            arguments = call.function.arguments
            text = arguments if isinstance(arguments, str) else _encode(arguments)
            self._calls.whole(call.id, call.function.name, text)

    def _opaque(self) -> dict[str, Any] | None:
        if self._thinking and self._calls:
            return {"thinking": "".join(self._thinking)}
        return None


def _encode(arguments: Any) -> str:
    return "" if arguments is None else msgspec.json.encode(arguments).decode()
