"""Events to JSON and SSE, byte for byte as the official Python encoder writes them.

The one difference is the place of timestamp, rawEvent, metadata and subagentRunId: ours come last.
Events that hold nothing but text and numbers go through one msgspec encoder, in batches where they
can; what is open or nested is left to `encode_value`.
"""

from typing import Any, Final

import msgspec
from msgspec import inspect

from gateway.errors import EncodeError
from gateway.protocol.base import UNSET
from gateway.protocol.events import EVENT_CLASSES, Event
from gateway.protocol.values import encode_value
from gateway_native.escape import escape_line_separators

__all__ = ["encode_event", "encode_json", "encode_lines", "encode_sse"]

_encoder: Final = msgspec.json.Encoder()
_dumps: Final = _encoder.encode
_dumps_lines: Final = _encoder.encode_lines


def encode_event(event: Event) -> bytes:
    """The JSON of one event, line separators escaped.

    Raises EncodeError if a member holds what JSON cannot carry.
    """
    return escape_line_separators(_encode(event))


def encode_sse(event: Event) -> bytes:
    """One SSE frame, LF only; raises what `encode_event` does."""
    return b"data: " + escape_line_separators(_encode(event)) + b"\n\n"


def encode_json(value: Event | str) -> bytes:
    """The JSON of an event or of a string, line separators escaped."""
    return escape_line_separators(encode_value(value) if isinstance(value, str) else _encode(value))


def encode_lines(values: list[Any]) -> bytes:
    """A JSON text and LF for each value: events without open or nested members, or strings.

    Line separators stay as they are; whoever frames the lines escapes them, all at once. In the
    metadata or raw event of such an event, floats are spelled `1e16` and not `1e+16`, since looking
    for either would cost half as much again. Raises what `encode_event` does.
    """
    try:
        return _dumps_lines(values)
    except (TypeError, ValueError, RecursionError):
        lines = [encode_value(each) if type(each) is str else _encode(each) for each in values]
        return b"".join([line + b"\n" for line in lines])


def _encode(event: Event) -> bytes:
    if event.metadata is UNSET and event.raw_event is UNSET and PLAIN[event.kind]:
        try:
            return _dumps(event)
        except (TypeError, ValueError):
            pass  # a lone surrogate, or a value of a wrong type, which the slow way names
    try:
        return encode_value(event)
    except EncodeError as error:
        raise EncodeError(f"{event.type}: {error.reason}") from error


def _is_plain(info: inspect.Type) -> bool:
    if isinstance(info, inspect.UnionType):
        return all(map(_is_plain, info.types))
    return isinstance(
        info, inspect.StrType | inspect.IntType | inspect.BoolType | inspect.LiteralType
    )


def _holds_only_plain(cls: type[Event]) -> bool:
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    own = [each for each in info.fields if each.name not in ("raw_event", "metadata")]
    return all(_is_plain(each.type) for each in own)


PLAIN: Final[list[bool]] = [_holds_only_plain(cls) for cls in EVENT_CLASSES]
"""For each kind, whether its own members hold nothing but text, numbers and booleans."""
