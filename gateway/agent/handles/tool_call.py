"""An open tool call."""

from __future__ import annotations

from typing import Any, TypeVar

from gateway.agent.decoding import decode_as
from gateway.agent.handles.block import Block
from gateway.agent.sink import Sink
from gateway.errors import DecodeError
from gateway.protocol.base import UnsetType
from gateway.protocol.events import Event, ReasoningEncryptedValue, ToolCallEnd, ToolCallResult
from gateway.protocol.parts import ContentPart
from gateway.protocol.values import encode_value

T = TypeVar("T")


class ToolCallBlock(Block):
    """Streams the arguments of a call, then its result (spec: events/tool-calls).

    A call that the front end runs is only ended; a call that the agent runs also gets a result,
    whose message has the id `result_message_id`.
    """

    __slots__ = ("_fragments", "name", "result_message_id")

    def __init__(
        self, stream: Sink, id: str, owner: str | UnsetType, name: str, result_id: str
    ) -> None:
        super().__init__(stream, id, owner)
        self._fragments: list[str] = []
        self.name = name
        self.result_message_id = result_id

    def args(self, fragment: str) -> None:
        """Append a fragment of the argument text, valid JSON by itself or not."""
        if fragment:
            self._stream.args(self.id, fragment)
            self._fragments.append(fragment)

    def args_json(self, value: Any) -> None:
        """Append the compact JSON of `value` as one fragment."""
        self.args(encode_value(value).decode())

    @property
    def raw_args(self) -> str:
        """The argument text so far."""
        return "".join(self._fragments)

    def parse_args(self, type: type[T]) -> T:
        """The arguments as a `type`: a Struct, dataclass, TypedDict, dict or pydantic model.

        Raises DecodeError while they are partial, and when they do not fit.
        """
        try:
            return decode_as(self.raw_args, type)
        except DecodeError as error:
            raise DecodeError(f"arguments of {self.name}: {error.reason}") from error

    def encrypted_value(self, value: str) -> None:
        """Attach an opaque value, which the client returns unmodified in later input."""
        self._stream.emit(
            ReasoningEncryptedValue("tool-call", self.id, value, subagent_run_id=self.owner)
        )

    def result(self, content: str | list[ContentPart]) -> str:
        """End the call if it is open and emit its result; returns the id of the tool message."""
        self.end()
        self._stream.emit(
            ToolCallResult(
                self.result_message_id, self.id, content, "tool", subagent_run_id=self.owner
            )
        )
        return self.result_message_id

    def result_json(self, value: Any) -> str:
        """Like `result`, with the compact JSON of `value` as its text."""
        return self.result(encode_value(value).decode())

    def _closing(self) -> list[Event]:
        return [ToolCallEnd(self.id, subagent_run_id=self.owner)]
