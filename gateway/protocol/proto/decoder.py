"""Protobuf to JSON objects of events, as an SSE reader gives them; judging them is not its task.

Protobuf rules apply: unknown fields are skipped, of a scalar given twice the last one counts, and
pieces of a message field are merged. On top of them the binding demands exactly one arm, with a
base event whose type agrees.
"""

from collections.abc import Callable
from typing import Any, Final

from gateway.errors import DecodeError
from gateway.protocol.base import MAX_SAFE_INTEGER
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.proto.layout import FROM_MESSAGE
from gateway.protocol.proto.schema import ARMS, DEFAULTS, ENVELOPE, MESSAGES, Field, Message
from gateway.protocol.proto.values import ABSENT, Span, join, read_struct, read_text, read_value
from gateway.protocol.proto.wire import LENGTH_DELIMITED, read_fields
from gateway_native import kinds

Json = dict[str, Any]

TYPES: Final = {arm.number: name for name, arm in ARMS.items()}
"""The wire name of the event that each arm carries."""


def decode_proto(message: bytes, warn: Warn = ignore) -> Json | None:
    """The JSON object of the event in a message without its length.

    None, with a notice, for an event that is newer than this build; a content part of an unknown
    kind is left out of its list, with a notice too. Raises DecodeError for everything else that
    is no event. What was required and absent reads as "" or [], as protobuf has it; bytes in text
    that are not UTF-8 become U+FFFD.
    """
    try:
        return _read_envelope(message, warn)
    except RecursionError:
        raise DecodeError("messages nest too deeply") from None


def _read_envelope(message: bytes, warn: Warn) -> Json | None:
    known: set[int] = set()
    spans: list[Span] = []
    future: list[tuple[int, int, int]] = []
    for number, wire_type, start, end in read_fields(message, 0, len(message)):
        if number in TYPES:
            known.add(number)
            if wire_type == LENGTH_DELIMITED:
                spans.append((message, start, end))
        elif wire_type == LENGTH_DELIMITED:
            future.append((number, start, end))
    if not known:
        _drop_future(message, future, warn)
        return None
    if len(known) > 1 or not spans:
        raise DecodeError("the message does not carry exactly one event")
    return _read_event(known.pop(), join(spans), warn)


def _drop_future(message: bytes, future: list[tuple[int, int, int]], warn: Warn) -> None:
    """Accept an event of a later protocol; bytes that are no message at all are refused."""
    if not future:
        raise DecodeError("the message carries no event")
    for _, start, end in future:
        for _ in read_fields(message, start, end):
            pass
    path = f"arm {future[0][0]}"
    warn(Notice("unknown-event", path, "dropped an event of a kind that this build does not know"))


def _read_event(number: int, span: Span, warn: Warn) -> Json:
    kind = TYPES[number]
    event = _read_message(span, MESSAGES[ENVELOPE.by_number[number].kind], warn)
    base = event.pop("baseEvent", None) if event else None
    if event is None or base is None:
        raise DecodeError(f"{kind} has no base event")
    declared = base.pop("type")
    if not 0 <= declared < kinds.COUNT or kinds.NAMES[declared] != kind:
        raise DecodeError(f"{kind} has a base event of the type {declared}")
    return {"type": kind, **event, **base}


def _read_message(span: Span, message: Message, warn: Warn) -> Json | None:
    """The JSON object of a message; None for a member of a union that this build does not know."""
    data, position, stop = span
    found: Json = {}
    pieces: dict[int, list[Span]] = {}
    for number, wire_type, start, end in read_fields(data, position, stop):
        field = message.by_number.get(number)
        if field is None or field.wire_type != wire_type:
            continue
        if field.repeated:
            _append(found.setdefault(field.name, []), field, (data, start, end), warn)
        elif field.kind in SCALARS:
            found[field.name] = SCALARS[field.kind](data, start, end)
        else:
            pieces.setdefault(number, []).append((data, start, end))
    for number, spans in pieces.items():
        field = message.by_number[number]
        value = _read_delimited(field, join(spans), warn)
        if value is not ABSENT:
            found[field.name] = value
    for field in message.defaulted:
        if field.name not in found:
            found[field.name] = [] if field.repeated else DEFAULTS[field.kind]
    layout = FROM_MESSAGE.get(message.name)
    return layout(found) if layout else found


def _append(items: list[Any], field: Field, span: Span, warn: Warn) -> None:
    """Append an element, None in the place of one of an unknown kind; the layout takes it out."""
    if field.kind in SCALARS:
        items.append(SCALARS[field.kind](*span))
        return
    item = _read_delimited(field, span, warn)
    if item is None:
        warn(Notice("unknown-member", field.where, "dropped a member of an unknown kind"))
    items.append(item)


def _read_delimited(field: Field, span: Span, warn: Warn) -> Any:
    if field.kind == "Value":
        return read_value(span)
    if field.kind == "Struct":
        return read_struct(span)
    return _read_message(span, MESSAGES[field.kind], warn)


def _read_int32(data: bytes, value: int, _: int) -> int:
    low = value & 0xFFFF_FFFF
    return low - 2**32 if low >= 2**31 else low


def _read_int64(data: bytes, value: int, _: int) -> int:
    signed = value - 2**64 if value >= 2**63 else value
    if not -MAX_SAFE_INTEGER <= signed <= MAX_SAFE_INTEGER:
        raise DecodeError(f"the integer {signed} is beyond ±(2^53−1)")
    return signed


def _read_bool(data: bytes, value: int, _: int) -> bool:
    return value != 0


SCALARS: Final[dict[str, Callable[[bytes, int, int], Any]]] = {
    "string": read_text,
    "int32": _read_int32,
    "int64": _read_int64,
    "bool": _read_bool,
}
"""What reads each kind of scalar from the two integers of `read_fields`."""
