"""Events to JSON and SSE, byte for byte as the official Python encoder writes them.

The one difference is the place of timestamp, rawEvent, metadata and subagentRunId: ours come last.
Events whose members are all plain go through one msgspec encoder; open and nested members are
encoded apart and put in as they are.
"""

from typing import Any

import msgspec

from gateway.errors import EncodeError
from gateway.protocol.base import UNSET
from gateway.protocol.events import EVENT_CLASSES, Event
from gateway.protocol.values import encode_value
from gateway.protocol.wire_order import to_wire
from gateway_native.escape import escape_line_separators

__all__ = ["encode_event", "encode_json", "encode_lines", "encode_sse"]


_ENCODER = msgspec.json.Encoder()


def encode_event(event: Event) -> bytes:
    """The JSON of one event; raises EncodeError when an open member holds no JSON value."""
    return escape_line_separators(_encode(event))


def encode_sse(event: Event) -> bytes:
    """One SSE frame, LF only."""
    return b"data: " + encode_event(event) + b"\n\n"


def encode_json(value: Event | str) -> bytes:
    """The JSON of an event or of a string, line separators escaped."""
    if isinstance(value, str):
        return escape_line_separators(encode_value(value))
    return encode_event(value)


def encode_lines(values: list[Any]) -> bytes:
    """A JSON text and LF for each value: events without open members, or strings.

    Line separators stay as they are; whoever frames the lines escapes them, all at once.
    """
    try:
        return _ENCODER.encode_lines(values)
    except UnicodeEncodeError:
        return b"".join([_encode_apart(value) + b"\n" for value in values])


def _encode(event: Event) -> bytes:
    members = {
        name: msgspec.Raw(encode_value(to_wire(value)))
        for name in _NESTED[event.kind]
        if (value := getattr(event, name)) is not UNSET and type(value) is not str
    }
    if members:
        event = event.__replace__(**members)
    try:
        return _ENCODER.encode(event)
    except UnicodeEncodeError:
        return _encode_apart(event)
    except (TypeError, ValueError, RecursionError) as error:
        raise EncodeError(f"{event.type}: {error}") from error


def _encode_apart(value: Any) -> bytes:
    """The slow way for text with lone surrogates."""
    return encode_value(to_wire(value))


def _nested(cls: type[Event]) -> tuple[str, ...]:
    """The members of an event that are not plain text, numbers or booleans."""
    hints = {member.name: member.type for member in msgspec.structs.fields(cls)}
    return tuple(
        name for name, hint in hints.items() if not _is_plain(msgspec.inspect.type_info(hint))
    )


def _is_plain(info: msgspec.inspect.Type) -> bool:
    if isinstance(info, msgspec.inspect.UnionType):
        return all(_is_plain(arm) for arm in info.types)
    return isinstance(
        info,
        msgspec.inspect.StrType
        | msgspec.inspect.IntType
        | msgspec.inspect.BoolType
        | msgspec.inspect.LiteralType
        | msgspec.inspect.CustomType,
    )


_NESTED: list[tuple[str, ...]] = [_nested(cls) for cls in EVENT_CLASSES]
