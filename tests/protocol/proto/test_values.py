"""Open JSON survives as JavaScript would carry it."""

import math
from typing import Any

import pytest
from hypothesis import given

from gateway.errors import DecodeError, EncodeError
from gateway.protocol.proto.values import (
    ABSENT,
    MAX_DEPTH,
    read_struct,
    read_value,
    write_struct,
    write_text,
    write_value,
)
from gateway.protocol.proto.wire import delimited
from tests.strategies import JSON


def read(data: bytes) -> Any:
    return read_value((data, 0, len(data)))


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@given(JSON)
def test_values_survive(value: Any) -> None:
    assert read(write_value(value, "")) == value


def test_known_bytes() -> None:
    assert write_value(None, "") == b"\x08\x00"
    assert write_value(True, "") == b"\x20\x01"
    assert write_value(False, "") == b"\x20\x00"
    assert write_value("", "") == b"\x1a\x00"
    assert write_value(1, "") == b"\x11\x00\x00\x00\x00\x00\x00\xf0\x3f"
    assert write_value([], "") == b"\x32\x00"
    assert write_value({"": None}, "") == b"\x2a\x06\x0a\x04\x12\x02\x08\x00"


def test_keys_are_ordered_as_javascript_orders_them() -> None:
    keys = ["b", "10", "9", "01", "a", "0", "4294967295", "4294967294", "-1", "1.5", "٣"]
    data = write_struct(dict.fromkeys(keys, 1), "")
    assert list(read_struct((data, 0, len(data)))) == [
        *["0", "9", "10", "4294967294"],
        *["b", "01", "a", "4294967295", "-1", "1.5", "٣"],
    ]


@pytest.mark.parametrize("value", [0, 1, -1, 2**53 - 1, 1 - 2**53])
def test_whole_numbers_read_as_integers(value: int) -> None:
    assert type(read(write_value(float(value), ""))) is int


@pytest.mark.parametrize("value", [-0.0, 0.5, 1e300, math.inf, -math.inf, 2.0**53])
def test_other_numbers_stay_doubles(value: float) -> None:
    found = read(write_value(value, ""))
    assert type(found) is float
    assert repr(found) == repr(value)


def test_not_a_number_survives() -> None:
    assert math.isnan(read(write_value(math.nan, "")))


def test_large_integers_become_the_nearest_double() -> None:
    assert read(write_value(2**64, "")) == 2.0**64
    with pytest.raises(EncodeError, match="here"):
        write_value(10**400, "here")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\ude00b", "\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("é\ufeff", "é\ufeff"),
    ],
)
def test_lone_surrogates_are_replaced(text: str, written: str) -> None:
    assert write_text(text) == written.encode()
    assert read(write_value({text: text}, "")) == {written: written}


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert read(b"\x1a\x02\xc3(") == "\ufffd("


def test_depth_is_bounded_on_both_sides() -> None:
    deepest = write_value(nested(MAX_DEPTH), "")
    assert read(deepest) == nested(MAX_DEPTH)
    with pytest.raises(EncodeError):
        write_value(nested(MAX_DEPTH + 1), "")
    deeper = b"\x32" + delimited(b"\x0a" + delimited(deepest))
    with pytest.raises(DecodeError):
        read(deeper)


def test_of_several_kinds_the_last_one_counts() -> None:
    assert read(b"\x1a\x01a\x20\x01") is True
    assert read(b"\x20\x01\x1a\x01a") == "a"
    assert read(b"\x32\x04\x0a\x02\x20\x01\x08\x00\x32\x04\x0a\x02\x20\x00") == [False]


def test_pieces_of_one_list_are_merged() -> None:
    assert read(b"\x32\x04\x0a\x02\x20\x01\x32\x04\x0a\x02\x20\x00") == [True, False]
    with pytest.raises(DecodeError):
        read(b"\x32\x01\x0a\x32\x01\x00")


def test_value_without_a_kind_is_absent_and_null_in_a_list() -> None:
    assert read(b"") is ABSENT
    assert read(b"\x18\x01") is ABSENT
    assert read(b"\x32\x02\x0a\x00") == [None]
    assert read(b"\x2a\x05\x0a\x03\x0a\x01a") == {}


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", 1j])
def test_what_is_no_json_is_refused(value: object) -> None:
    with pytest.raises(EncodeError, match="here"):
        write_value(value, "here")
