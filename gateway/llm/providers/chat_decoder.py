"""Answers of chat completions, as OpenAI made them and everybody else bends them."""

from typing import Any

import msgspec
from msgspec import Struct

from gateway.errors import ProviderError
from gateway.llm.failure import failure_of_frame, malformed
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.reasoning_details import merge_details, visible_text
from gateway.llm.providers.usage import chat_usage


class Function(Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class Piece(Struct):
    index: int | None = None
    id: str | None = None
    function: Function | None = None
    extra_content: Any = None


class Said(Struct):
    """A delta of a stream, or the message of a whole answer."""

    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    reasoning: Any = None
    reasoning_content: str | None = None
    thinking: Any = None
    reasoning_details: list[dict[str, Any]] | None = None
    tool_calls: list[Piece] | None = None
    function_call: Function | None = None


class Choice(Struct):
    index: int | None = None
    delta: Said | None = None
    message: Said | None = None
    finish_reason: str | None = None
    error: Any = None


class Chunk(Struct):
    """One frame, or a whole answer."""

    id: Any = None
    model: Any = None
    choices: list[Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None
    x_groq: dict[str, Any] | None = None


DECODER = msgspec.json.Decoder(Chunk)


class ChatDecoder(Decoder):
    """Reads `text/event-stream` up to `[DONE]`, or one JSON body."""

    format = "chat"

    _details: list[dict[str, Any]] | None = None
    _replayed: tuple[str, list[str]] | None = None
    """Plain reasoning that goes back with tool calls, and the member that it came in."""
    _extras: dict[int, Any] | None = None

    def _frame(self, payload: bytes) -> None:
        if payload == b"[DONE]":
            self._end()
            return
        self._chunk(self._decode(payload, DECODER, Chunk))

    def _body(self, body: bytes) -> None:
        chunk = self._decode(body, DECODER, Chunk)
        if chunk.error is None and not chunk.choices:
            _complain(self.provider, body)
        self._chunk(chunk)

    def _chunk(self, chunk: Chunk) -> None:
        self._count(chunk)
        if chunk.error:
            raise failure_of_frame(self.provider, {"error": chunk.error})
        choices = chunk.choices
        if not choices:
            return
        if not self._started:
            self._start(chunk.id, chunk.model)
        for choice in choices:
            if not choice.index:
                self._choice(choice)
                return

    def _count(self, chunk: Chunk) -> None:
        usage = chunk.usage or (chunk.x_groq or {}).get("usage")
        if usage:
            self._usage = chat_usage(self.provider, chunk.model, usage)

    def _choice(self, choice: Choice) -> None:
        if choice.error:
            raise failure_of_frame(self.provider, {"error": choice.error})
        said = choice.delta or choice.message
        if said is not None:
            self._said(said, whole=choice.delta is None)
        if choice.finish_reason:
            if choice.finish_reason == "error":
                raise failure_of_frame(self.provider, {"error": {"type": "server_error"}})
            self._finish = choice.finish_reason

    def _said(self, said: Said, whole: bool) -> None:
        reasoning = said.reasoning_content or said.reasoning or said.thinking
        if reasoning or said.reasoning_details:
            self._reasoned(said, reasoning)
        content = said.content
        if content:
            if isinstance(content, str):
                self._say(content)
            else:
                self._parts(content)
        if said.refusal:
            self._refuse(said.refusal)
        if said.tool_calls or said.function_call:
            self._called(said, whole)

    def _reasoned(self, said: Said, reasoning: Any) -> None:
        details = said.reasoning_details
        if details:
            self._details = merge_details(self._details or [], details)
        if isinstance(reasoning, str) and reasoning:
            self._reason(reasoning)
        elif details:
            self._reason(visible_text(details))
        if said.reasoning_content:
            self._keep("reasoning_content", said.reasoning_content)

    def _keep(self, member: str, text: str) -> None:
        if self._replayed is None:
            self._replayed = (member, [])
        self._replayed[1].append(text)

    def _parts(self, parts: list[dict[str, Any]]) -> None:
        """Content as a list; thinking is a part of its own there (Mistral)."""
        for part in parts:
            if part.get("type") == "thinking":
                pieces = part.get("thinking")
                for piece in pieces if isinstance(pieces, list) else [{"text": pieces}]:
                    self._reason(piece.get("text") or "")
                    self._keep("thinking", piece.get("text") or "")
            elif isinstance(part.get("text"), str):
                self._say(part["text"])

    def _called(self, said: Said, whole: bool) -> None:
        for piece in said.tool_calls or ():
            function = piece.function or Function()
            text = _argument_text(function.arguments)
            if whole:
                call = self._calls.whole(piece.id, function.name or "", text)
            else:
                call = self._calls.piece(piece.index, piece.id, function.name, text)
            if piece.extra_content is not None:
                self._extras = {**(self._extras or {}), call.index: piece.extra_content}
        if legacy := said.function_call:
            self._calls.piece(0, None, legacy.name, _argument_text(legacy.arguments))

    def _opaque(self) -> dict[str, Any] | None:
        opaque: dict[str, Any] = {}
        if self._details:
            opaque["reasoning_details"] = self._details
        if self._replayed and self._calls:
            opaque[self._replayed[0]] = "".join(self._replayed[1])
        if self._extras:
            named = {self._calls.all[i].id: extra for i, extra in self._extras.items()}
            opaque["extra_content"] = named
        return opaque or None


def _argument_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else msgspec.json.encode(arguments).decode()


def _complain(provider: str, body: bytes) -> None:
    """A body without choices: some other shape of error, or an answer without substance."""
    value = msgspec.json.decode(body)
    if not isinstance(value, dict):
        raise malformed(provider, "the answer is no JSON object")
    failure: ProviderError = failure_of_frame(provider, value)
    if "choices" in value or not (value.get("message") or value.get("detail")):
        failure = malformed(provider, "the answer has no choices")
    raise failure
