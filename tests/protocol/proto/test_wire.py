"""Varints and fields, well-formed and broken."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DecodeError
from gateway.protocol.proto.wire import delimited, read_fields, read_varint, varint


def fields(data: bytes) -> list[tuple[int, int, int, int]]:
    return list(read_fields(data, 0, len(data)))


@given(st.integers(-(2**63), 2**64 - 1))
def test_varints_survive(value: int) -> None:
    written = varint(value)
    assert read_varint(written, 0, len(written)) == (value % 2**64, len(written))
    assert len(written) <= 10


def test_known_varints() -> None:
    assert varint(0) == b"\x00"
    assert varint(300) == b"\xac\x02"
    assert varint(-1) == b"\xff" * 9 + b"\x01"
    assert delimited(b"a" * 200)[:2] == b"\xc8\x01"


def test_all_wire_types_are_read() -> None:
    assert fields(b"\x08\x96\x01") == [(1, 0, 150, 0)]
    assert fields(b"\x11" + bytes(8)) == [(2, 1, 1, 9)]
    assert fields(b"\x1a\x02ab") == [(3, 2, 2, 4)]
    assert fields(b"\x25" + bytes(4)) == [(4, 5, 1, 5)]
    assert fields(b"\xa3\x06\x08\x01\xa4\x06") == [(100, 3, 2, 6)]


def test_overlong_tag_is_the_same_field() -> None:
    assert fields(b"\xe2\x80\x00\x01a")[0][:2] == (12, 2)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80",
        b"\x08",
        b"\x08\x80",
        b"\x08" + b"\xff" * 10 + b"\x01",
        b"\x00\x00",
        b"\x80\x80\x80\x80\x80\x01\x00",
        b"\xfa\xff\xff\xff\x1f\x00",
        b"\x0a\x02a",
        b"\x0a",
        b"\x09" + bytes(7),
        b"\x0d" + bytes(3),
        b"\x0e",
        b"\x0f",
        b"\x0c",
        b"\x0b",
        b"\x0b\x14",
        b"\x0b\x0a\x05\x0c",
        b"\x0b" * 101 + b"\x0c" * 101,
    ],
)
def test_broken_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        fields(data)


def test_nothing_behind_the_end_is_read() -> None:
    with pytest.raises(DecodeError):
        list(read_fields(b"\x0a\x02ab", 0, 3))


@given(st.binary(max_size=40))
def test_any_bytes_are_fields_or_a_typed_error(data: bytes) -> None:
    with suppress(DecodeError):
        assert all(number > 0 for number, *_ in fields(data))
