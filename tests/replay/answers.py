"""Recorded answers of LLM providers, replayed through a decoder in every way of being cut."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gateway.errors import ProviderError
from gateway.llm.accumulator import Accumulator
from gateway.llm.failure import failure_of_response
from gateway.llm.model import Completion, Finished
from gateway.llm.providers.anthropic_decoder import AnthropicDecoder
from gateway.llm.providers.chat_decoder import ChatDecoder
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.ollama_decoder import OllamaDecoder
from gateway.llm.providers.responses_decoder import ResponsesDecoder
from tests.replay.verdict import Row

DECODERS: dict[str, type[Decoder]] = {
    "chat_completions": ChatDecoder,
    "messages": AnthropicDecoder,
    "ollama_chat": OllamaDecoder,
    "responses": ResponsesDecoder,
}
COMMENT = b": keep-alive \xe2\x80\xa8 comment\n\n"


class Answer:
    """What a replay came to."""

    def __init__(self, completion: Completion, failure: ProviderError | None) -> None:
        self.completion = completion
        self.failure = failure
        if failure is not None and failure.partial is not None:
            self.completion = failure.partial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self._facts() == other._facts()

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> Any:
        calls = [(c.name, c.text, c.executable) for c in self.completion.tool_calls]
        c, kind = self.completion, self.failure.kind if self.failure else None
        return c.text, c.reasoning, c.refusal, calls, c.finish_reason, c.usage, kind


def decode(row: Row, chunks: Iterable[bytes]) -> Answer:
    """Feed a stream that ends after the chunks."""
    decoder = DECODERS[row["api"]](row["provider"])
    accumulator = Accumulator()
    ends = 0
    for chunk in chunks:
        deltas = decoder.feed(chunk)
        accumulator.extend(deltas)
        ends += sum(type(delta) is Finished for delta in deltas)
    deltas = decoder.finish()
    accumulator.extend(deltas)
    ends += sum(type(delta) is Finished for delta in deltas)
    assert ends == (0 if decoder.failure else 1), "Finished ends a stream exactly once"
    return Answer(accumulator.completion(), decoder.failure)


def answer(row: Row) -> Answer:
    """The answer along the path of its mode, in one piece."""
    body = row["body"].encode()
    if row["status"] >= 400:
        failure = failure_of_response(row["provider"], row["status"], row["headers"], body)
        return Answer(Completion(), failure)
    if row["mode"] == "json":
        decoder = DECODERS[row["api"]](row["provider"])
        accumulator = Accumulator()
        accumulator.extend(decoder.whole(body))
        return Answer(accumulator.completion(), decoder.failure)
    return decode(row, [body])


def frames(row: Row) -> list[bytes]:
    """The stream cut behind each of its frames."""
    body = row["body"].encode()
    if row["api"] == "ollama_chat":
        return body.splitlines(keepends=True) if b"\r" not in body else [body]
    return re.findall(rb".*?\n(?:\r?\n)+|.+\Z", body, re.DOTALL)


def variants(row: Row) -> Iterator[tuple[str, list[bytes]]]:
    """The same stream, arriving otherwise."""
    body = row["body"].encode()
    yield "byte by byte", [body[i : i + 1] for i in range(len(body))]
    dice = random.Random(row["name"])
    for turn in range(3):
        places = sorted(dice.randrange(len(body)) for _ in range(1 + dice.randrange(40)))
        bounds = zip([0, *places], [*places, len(body)], strict=True)
        yield f"random cuts {turn}", [body[start:end] for start, end in bounds]
    crlf = body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "CRLF", [crlf[i : i + 7] for i in range(0, len(crlf), 7)]
    if row["api"] == "ollama_chat":
        yield "blank lines", [piece + b"\n" for piece in frames(row)]
    else:
        yield "CR", [body.replace(b"\r\n", b"\n").replace(b"\n", b"\r")]
        yield "comments", [COMMENT + piece for piece in frames(row)]


def ends(row: Row) -> Callable[[Any], bool]:
    """Whether a frame carries the end of the answer, or an error."""
    table: dict[str, Callable[[Any], bool]] = {
        "chat_completions": _ends_chat,
        "messages": lambda data: data["type"] in ("message_stop", "error"),
        "responses": lambda data: data["type"] in ("response.completed", "response.incomplete"),
        "ollama_chat": lambda data: bool(data["done"]),
    }
    return table[row["api"]]


def _ends_chat(data: Any) -> bool:
    choices = data.get("choices") or ()
    return any(choice.get("finish_reason") and not choice.get("index") for choice in choices)


def carries_end(row: Row, frame: bytes) -> bool:
    """The frame ends the answer for good or ill."""
    for line in frame.splitlines():
        if line.startswith(b"error:") or line.rstrip() == b"data: [DONE]":
            return bool(row["api"] == "chat_completions")
        text = line.removeprefix(b"data:").strip()
        if text.startswith(b"{"):
            data = json.loads(text)
            return bool(data.get("error") or "code" in data or ends(row)(data))
    return False
