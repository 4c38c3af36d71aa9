"""Open JSON as `google.protobuf.Value` and `Struct`.

All numbers are doubles; whole ones that a double holds exactly read as integers. Objects are
written in the order in which JavaScript enumerates them: keys that are array indices ascending,
then the others as they were added. Protobuf text has no lone surrogates: U+FFFD takes their place.
"""

from collections.abc import Iterable
from struct import pack, unpack_from
from typing import Any, Final

from gateway.errors import DecodeError, EncodeError
from gateway.protocol.base import MAX_SAFE_INTEGER
from gateway.protocol.proto.wire import FIXED64, LENGTH_DELIMITED, VARINT, delimited, read_fields

MAX_DEPTH: Final = 400
"""How deep values may nest, in JSON levels; each takes two of the 1000 frames of Python."""

ABSENT: Final = object()
"""What a `Value` without a kind reads as; no JSON value."""

NULL, NUMBER, STRING, BOOL, STRUCT, LIST = 1, 2, 3, 4, 5, 6
KINDS: Final = {
    NULL: VARINT,
    NUMBER: FIXED64,
    STRING: LENGTH_DELIMITED,
    BOOL: VARINT,
    STRUCT: LENGTH_DELIMITED,
    LIST: LENGTH_DELIMITED,
}
"""The fields of `Value`, of which the last one set counts, with their wire types."""

Span = tuple[bytes, int, int]
"""Data, start and end."""


def write_text(text: str) -> bytes:
    """UTF-8, as JavaScript's TextEncoder writes it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def write_struct(value: dict[str, Any], where: str, depth: int = 0) -> bytes:
    """The bytes of a `Struct`; `where` names the member in errors."""
    out = bytearray()
    for key, item in _enumerate(value):
        entry = b"\x0a" + delimited(write_text(key)) if key else b""
        out += b"\x0a" + delimited(entry + b"\x12" + delimited(write_value(item, where, depth + 1)))
    return bytes(out)


def write_value(value: Any, where: str, depth: int = 0) -> bytes:
    """The bytes of a `Value`; raises EncodeError for what is not JSON or nests too deeply."""
    if depth > MAX_DEPTH:
        raise EncodeError(f"{where}: values nest deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if kind is str:
        return b"\x1a" + delimited(write_text(value))
    if kind is bool:
        return b"\x20\x01" if value else b"\x20\x00"
    if kind is int or kind is float:
        return b"\x11" + _double(value, where)
    if value is None:
        return b"\x08\x00"
    if kind is dict:
        return b"\x2a" + delimited(write_struct(value, where, depth))
    if kind is list or kind is tuple:
        items = [b"\x0a" + delimited(write_value(item, where, depth + 1)) for item in value]
        return b"\x32" + delimited(b"".join(items))
    raise EncodeError(f"{where}: {kind.__name__} is not a JSON value")


def _double(value: float, where: str) -> bytes:
    try:
        return pack("<d", float(value))
    except OverflowError:
        raise EncodeError(f"{where}: an integer is larger than any double") from None


def _is_index(key: str) -> bool:
    """Whether JavaScript takes a key for an array index."""
    if not (key.isascii() and key.isdigit()) or len(key) > 10:
        return False
    return (key[0] != "0" or key == "0") and int(key) < 2**32 - 1


def _enumerate(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    indices = [key for key in value if _is_index(key)]
    if not indices:
        return value.items()
    ordered = {key: value[key] for key in sorted(indices, key=int)}
    return (ordered | value).items()


def read_text(data: bytes, start: int, end: int) -> str:
    """Text; bytes that are not UTF-8 become U+FFFD."""
    return data[start:end].decode("utf-8", "replace")


def join(spans: list[Span]) -> Span:
    """The payload of a message field that was given in several pieces, which means: merged.

    Raises DecodeError for pieces that are messages only together.
    """
    if len(spans) == 1:
        return spans[0]
    for piece in spans:
        for _ in read_fields(*piece):
            pass
    joined = b"".join([data[start:end] for data, start, end in spans])
    return joined, 0, len(joined)


def read_struct(span: Span, depth: int = 0) -> dict[str, Any]:
    """The object of a `Struct`; of entries with the same key the last one counts."""
    data, position, stop = span
    found: dict[str, Any] = {}
    for number, wire_type, start, end in read_fields(data, position, stop):
        if number == 1 and wire_type == LENGTH_DELIMITED:
            key, values = _read_entry((data, start, end))
            value = read_value(join(values), depth + 1) if values else ABSENT
            if value is not ABSENT:
                found[key] = value
    return found


def _read_entry(span: Span) -> tuple[str, list[Span]]:
    key = ""
    values: list[Span] = []
    data, position, stop = span
    for number, wire_type, start, end in read_fields(data, position, stop):
        if wire_type != LENGTH_DELIMITED:
            continue
        if number == 1:
            key = read_text(data, start, end)
        elif number == 2:
            values.append((data, start, end))
    return key, values


def _read_list(span: Span, depth: int) -> list[Any]:
    data, position, stop = span
    items: list[Any] = []
    for number, wire_type, start, end in read_fields(data, position, stop):
        if number == 1 and wire_type == LENGTH_DELIMITED:
            item = read_value((data, start, end), depth + 1)
            items.append(None if item is ABSENT else item)
    return items


def read_value(span: Span, depth: int = 0) -> Any:
    """The JSON value of a `Value`, ABSENT without a kind; raises DecodeError."""
    if depth > MAX_DEPTH:
        raise DecodeError(f"values nest deeper than {MAX_DEPTH} levels")
    data, position, stop = span
    kind = 0
    spans: list[Span] = []
    for number, wire_type, start, end in read_fields(data, position, stop):
        if KINDS.get(number) != wire_type:
            continue
        if number != kind or number < STRUCT:
            spans.clear()
        kind = number
        spans.append((data, start, end))
    if not kind:
        return ABSENT
    if kind == STRUCT:
        return read_struct(join(spans), depth)
    if kind == LIST:
        return _read_list(join(spans), depth)
    return _read_scalar(kind, data, spans[0][1], spans[0][2])


def _read_scalar(kind: int, data: bytes, start: int, end: int) -> Any:
    if kind == STRING:
        return read_text(data, start, end)
    if kind == BOOL:
        return start != 0
    if kind == NULL:
        return None
    number: float = unpack_from("<d", data, start)[0]
    whole = number.is_integer() and abs(number) <= MAX_SAFE_INTEGER
    return int(number) if whole and (number or not str(number).startswith("-")) else number
