"""The wire format of protobuf: varints and fields, nothing about messages."""

from collections.abc import Iterator
from typing import Final

from gateway.errors import DecodeError

VARINT: Final = 0
FIXED64: Final = 1
LENGTH_DELIMITED: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

MASK64: Final = 2**64 - 1
SMALL: Final = [bytes([value]) for value in range(128)]
MAX_GROUPS: Final = 100
"""How deep unknown groups may nest."""


def varint(value: int) -> bytes:
    """The varint of an integer; negative ones as 64 bits in two's complement, 10 bytes."""
    if 0 <= value < 128:
        return SMALL[value]
    value &= MASK64
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(payload: bytes | bytearray) -> bytes:
    """A payload behind its length."""
    return varint(len(payload)) + payload


def read_varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """An unsigned integer of 64 bits and the position behind it; superfluous bits are dropped."""
    if position < end and data[position] < 128:
        return data[position], position + 1
    value = 0
    for shift in range(0, 70, 7):
        if position >= end:
            raise DecodeError("a varint is cut off")
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & MASK64, position
    raise DecodeError("a varint is longer than 10 bytes")


def read_fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yields number, wire type and two integers for each field of a message.

    The integers are the span of the payload; for a varint, its value and 0. Groups are skipped as a
    whole. Raises DecodeError for what is not protobuf.
    """
    while position < end:
        tag = data[position]
        if 7 < tag < 128:
            number, wire_type = tag >> 3, tag & 7
            position += 1
        else:
            number, wire_type, position = _read_tag(data, position, end)
        start = position
        if wire_type == LENGTH_DELIMITED:
            if position < end and data[position] < 128:
                start += 1
                position = start + data[position]
            else:
                length, start = read_varint(data, position, end)
                position = start + length
        elif wire_type == VARINT:
            value, position = read_varint(data, position, end)
            yield number, wire_type, value, 0
            continue
        else:
            position = _skip(data, position, end, number, wire_type)
        if position > end:
            raise DecodeError(f"field {number} is longer than its message")
        yield number, wire_type, start, position


def _skip(data: bytes, position: int, end: int, number: int, wire_type: int) -> int:
    """The position behind a field that is neither a varint nor length-delimited."""
    if wire_type == FIXED64:
        return position + 8
    if wire_type == FIXED32:
        return position + 4
    if wire_type == START_GROUP:
        return _skip_group(data, position, end, number)
    if wire_type == END_GROUP:
        raise DecodeError("a group ends that was not opened")
    raise DecodeError(f"field {number} has the unknown wire type {wire_type}")


def _read_tag(data: bytes, position: int, end: int) -> tuple[int, int, int]:
    tag, behind = read_varint(data, position, end)
    number, wire_type = tag >> 3, tag & 7
    if number == 0 or tag >= 2**32 or behind - position > 5:
        raise DecodeError("a field number is out of range")
    return number, wire_type, behind


def _skip_group(data: bytes, position: int, end: int, number: int) -> int:
    """The position behind a group whose start tag has been read."""
    open_groups = [number]
    while open_groups:
        number, wire_type, position = _read_tag(data, position, end)
        if wire_type == START_GROUP:
            open_groups.append(number)
            if len(open_groups) > MAX_GROUPS:
                raise DecodeError("groups are nested too deeply")
        elif wire_type == END_GROUP:
            if open_groups.pop() != number:
                raise DecodeError("a group ends that was not opened")
        elif wire_type == VARINT:
            _, position = read_varint(data, position, end)
        elif wire_type == LENGTH_DELIMITED:
            length, position = read_varint(data, position, end)
            position += length
        else:
            position = _skip(data, position, end, number, wire_type)
    return position
