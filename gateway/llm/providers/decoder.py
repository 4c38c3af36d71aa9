"""What all wire formats share: bytes in, deltas out, no I/O.

A decoder reads one answer. `feed` takes the bytes of a stream cut anywhere and returns what they
complete, `finish` says that no more will come, `whole` takes an answer that is one JSON body. None
of them raises: a failure is kept in `failure`, with the completion so far as its `partial`, so that
no delta before it is lost. `done` says that the answer is complete and further bytes mean nothing.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec.structs import replace

from gateway.errors import FrameTooLargeError, ProviderError
from gateway.llm.accumulator import Accumulator
from gateway.llm.failure import malformed, truncated
from gateway.llm.model import (
    Completion,
    Delta,
    Finished,
    FinishReason,
    OpaqueDelta,
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    UsageDelta,
)
from gateway.llm.providers.calls import Calls
from gateway.llm.providers.finish import reason_of
from gateway.llm.providers.halves import Halves
from gateway_native.splitter import LineSplitter, SseSplitter

T = TypeVar("T")


class Decoder(ABC):
    """One answer of one provider; `taken` are the ids of calls that the history holds already."""

    format: ClassVar[str]
    """The name of the wire format in opaque values."""

    def __init__(self, provider: str, taken: Collection[str] = ()) -> None:
        self.provider = provider
        self.failure: ProviderError | None = None
        self.done = False
        self._out: list[Delta] = []
        self._calls = Calls(self._out, taken)
        self._accumulator = Accumulator()
        self._halves: Halves | None = None
        self._splitter: SseSplitter | LineSplitter = self._make_splitter()
        self._started = False
        self._finish: str | None = None
        self._usage: UsageDelta | None = None

    def _make_splitter(self) -> SseSplitter | LineSplitter:
        return SseSplitter(error_field=True)

    @abstractmethod
    def _frame(self, payload: bytes) -> None:
        """Take one frame of a stream; raises ProviderError and msgspec's errors."""

    @abstractmethod
    def _body(self, body: bytes) -> None:
        """Take a whole answer; raises ProviderError and msgspec's errors."""

    def feed(self, chunk: bytes) -> list[Delta]:
        """What these bytes complete."""
        if self.done or self.failure is not None:
            return []
        try:
            for payload in self._splitter.feed(chunk):
                if self.done:
                    break
                self._frame(payload)
        except ProviderError as error:
            self._fail(error)
        except (msgspec.MsgspecError, UnicodeError, FrameTooLargeError) as error:
            self._fail(malformed(self.provider, f"a frame of the stream is malformed: {error}"))
        return self._take()

    def finish(self) -> list[Delta]:
        """What the end of the stream completes; a stream that broke off is a network failure."""
        if not self._is_open():
            return []
        try:
            for payload in self._splitter.finish():
                self._frame(payload)
        except ProviderError as error:
            self._fail(error)
        except (msgspec.MsgspecError, UnicodeError):
            self._fail(truncated(self.provider))
        if self._is_open():
            if self._finish is None:
                self._fail(truncated(self.provider))
            else:
                self._end()
        return self._take()

    def whole(self, body: bytes) -> list[Delta]:
        """The deltas of an answer that is one JSON body."""
        try:
            self._body(body)
            self._end()
        except ProviderError as error:
            self._fail(error)
        except (msgspec.MsgspecError, UnicodeError) as error:
            is_page = body.lstrip()[:1] == b"<"
            text = "the answer is a web page" if is_page else f"the answer is malformed: {error}"
            self._fail(malformed(self.provider, text, retryable=not is_page))
        return self._take()

    def abandon(self, failure: ProviderError) -> list[Delta]:
        """The transport failed: the end of an answer whose finish is known, else its failure."""
        if self._is_open():
            if self._finish is None:
                self._fail(failure)
            else:
                self._end()
        return self._take()

    def _is_open(self) -> bool:
        return not self.done and self.failure is None

    def _decode(self, payload: bytes, decoder: msgspec.json.Decoder[T], type: type[T]) -> T:
        """The payload as a struct; half surrogate pairs, which msgspec refuses, pass."""
        try:
            return decoder.decode(payload)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            if b"\\u" not in payload:
                raise
            return self._decode_halves(payload, type)

    def _decode_halves(self, payload: bytes, type: type[T]) -> T:
        try:
            value = json.loads(payload, parse_constant=_refuse)
        except ValueError as error:
            raise msgspec.DecodeError(str(error)) from None
        self._halves = self._halves or Halves()
        return msgspec.convert(value, type)

    def _start(self, id: Any, model: Any) -> None:
        if not self._started:
            self._started = True
            self._out.append(Started(_text(id), _text(model)))

    def _say(self, text: str) -> None:
        if self._halves:
            text = self._halves.join("text", text)
        if text:
            self._out.append(TextDelta(text))

    def _reason(self, text: str) -> None:
        if self._halves:
            text = self._halves.join("reasoning", text)
        if text:
            self._out.append(ReasoningDelta(text))

    def _refuse(self, text: str) -> None:
        if self._halves:
            text = self._halves.join("refusal", text)
        if text:
            self._out.append(RefusalDelta(text))

    def _opaque(self) -> dict[str, Any] | None:
        """What the provider wants back, None if nothing."""
        return None

    def _reason_of_end(self) -> FinishReason:
        return reason_of(self._finish, bool(self._calls))

    def _end(self) -> None:
        """The answer is complete."""
        self._flush()
        opaque = self._opaque()
        if opaque:
            value = msgspec.json.encode({"format": self.format, **opaque})
            self._out.append(OpaqueDelta(value.decode()))
        if self._usage:
            self._out.append(self._usage)
        self._out.append(Finished(self._reason_of_end(), self._finish))
        self.done = True

    def _flush(self) -> None:
        if self._halves:
            for channel, say in (("text", self._say), ("reasoning", self._reason)):
                say(self._halves.flush(channel))
        self._calls.end_all()

    def _fail(self, failure: ProviderError) -> None:
        self.failure = failure
        if self._usage:
            self._out.append(self._usage)

    def _take(self) -> list[Delta]:
        deltas = self._out.copy()
        self._out.clear()
        self._accumulator.extend(deltas)
        if self.failure is not None:
            self.failure.partial = self._partial()
        return deltas

    def _partial(self) -> Completion | None:
        partial = self._accumulator.completion()
        if self._finish is not None:
            reason = reason_of(self._finish, bool(self._calls))
            partial = replace(partial, finish_reason=reason, finish_raw=self._finish)
        return None if partial == Completion() else partial


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
