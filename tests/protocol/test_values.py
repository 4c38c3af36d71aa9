"""Untyped JSON in and out, against the official encoder's spelling."""

import datetime
import decimal
import enum
import json
import math
import uuid
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from gateway.errors import DecodeError, EncodeError
from gateway.protocol import Interrupt, TextPart, UserMessage
from gateway.protocol.values import decode_value, encode_value

OFFICIAL = TypeAdapter[Any](Any)
SURROGATES = 'a\ud83d\u2028"\\\n\x00b'

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
anything = st.text(max_size=8) | st.sampled_from(["\ud83d", "\udc00", "\ud83d\ude00", "1e16"])
numbers = st.integers() | st.floats() | st.sampled_from([2**64, -(2**63) - 1, 1e16, 1e-7, -0.0])


def _json(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | numbers | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=20,
    )


class Colour(enum.Enum):
    RED = "red"


class Name(str):
    pass


class Ratio(float):
    pass


@dataclass
class Point:
    x: int
    label: str


class Own(msgspec.Struct, rename="camel", omit_defaults=True):
    first_name: str
    points: list[Point] = []
    raw: bytes = b""


class Array:
    """What arrays of foreign libraries have in common."""

    def tolist(self) -> list[int]:
        return [1, 2]


Pair = namedtuple("Pair", "a b")
KEYS = '{"1":2,"18446744073709551616":3,"null":4,"false":5,"1.5":6}'
OWN = '{"firstName":"Ada","points":[{"x":1,"label":"p"}],"raw":"r"}'


@given(_json(texts))
def test_values_are_spelled_as_the_official_encoder_does(value: Any) -> None:
    assert encode_value(value) == OFFICIAL.dump_json(value)


@given(_json(anything))
def test_lone_surrogates_survive_a_round_trip(value: Any) -> None:
    decoded = decode_value(encode_value(value))
    assert decode_value(encode_value(decoded).decode()) == decoded


@given(st.binary(max_size=20) | st.text(max_size=20) | st.text('[]{}":,0123456789eE+-.\\uDd8nul '))
def test_decoding_raises_nothing_but_decode_errors(data: bytes | str) -> None:
    try:
        value = decode_value(data)
    except DecodeError:
        return
    encode_value(value)


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    text = encode_value({SURROGATES: [SURROGATES]})
    assert text == rb'{"a\ud83d' + "\u2028".encode() + rb'\"\\\n\u0000b":["a\ud83d' + (
        "\u2028".encode() + rb'\"\\\n\u0000b"]}'
    )


@pytest.mark.parametrize("text", ['"\\ud83d"', '"\\uDE00x"', '{"\\udc00": 1}', '"\ud83d"'])
def test_lone_surrogates_are_decoded(text: str) -> None:
    assert decode_value(text) == json.loads(text)


def test_pairs_of_surrogate_escapes_are_one_character() -> None:
    assert decode_value(b'["\\ud83d\\ude00", "\\ud83d"]') == ["😀", "\ud83d"]


@pytest.mark.parametrize("number", [2**64, -(2**64), 10**400, 2**53 + 1])
def test_integers_of_any_size_are_exact(number: int) -> None:
    assert decode_value(encode_value({"n": [number]})) == {"n": [number]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e400",
        "1" * 5000,
        "1 2",
        "[1,]",
        "01",
        "'a'",
        '"a\nb"',
        "\ufeff1",
        '["\\ud83d", NaN]',
        '["\\ud83d", 1e400]',
        '["\\ud83d", ' + "1" * 5000 + "]",
        '["\\ud83d"',
        "[" * 100_000,
        '{"\\ud83d":' * 100_000,
        b"\xff",
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\\ud83d\xff"',
        b"1\x00",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(DecodeError):
        decode_value(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "1e+16"),
        (1e-7, "1e-7"),
        (1e-5, "0.00001"),
        (-0.0, "-0.0"),
        (math.nan, "null"),
        ([-math.inf, 2**64, 1e16], "[null,18446744073709551616,1e+16]"),
        ({"1e16": 2**70}, '{"1e16":1180591620717411303424}'),
        ({1: 2, 2**64: 3, None: 4, False: 5, 1.5: 6}, KEYS),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, 6, datetime.UTC), '"2026-01-02T03:04:05.000006Z"'),
        (datetime.date(2026, 1, 2), '"2026-01-02"'),
        (decimal.Decimal("1.50"), '"1.50"'),
        (uuid.UUID(int=5), '"00000000-0000-0000-0000-000000000005"'),
        (Colour.RED, '"red"'),
        ({"a": b"bytes", "b": bytearray(b"x")}, '{"a":"bytes","b":"x"}'),
        ((1, {2}, Pair(3, 4)), "[1,[2],[3,4]]"),
        ([Name("n"), Ratio(0.5)], '["n",0.5]'),
        (Point(2**64, "\ud83d"), '{"x":18446744073709551616,"label":"\\ud83d"}'),
        ([Point(1, "p")], '[{"x":1,"label":"p"}]'),
        (Own("Ada", [Point(1, "p")], b"r"), OWN),
        (Own("Ada"), '{"firstName":"Ada"}'),
        ({"array": Array()}, '{"array":[1,2]}'),
        ([Array(), 2**64], "[[1,2],18446744073709551616]"),
    ],
    ids=lambda value: f"{value!r:.30}",
)
def test_spelling(value: Any, text: str) -> None:
    assert encode_value(value).decode() == text


def test_protocol_types_are_written_in_the_order_of_the_schema() -> None:
    message = UserMessage("u", [TextPart("t", id="p", metadata={"n": 2**64})], name="Ada")
    assert encode_value({"messages": [message]}) == (
        b'{"messages":[{"id":"u","role":"user","name":"Ada","content":[{"type":"text","id":"p",'
        b'"text":"t","metadata":{"n":18446744073709551616}}]}]}'
    )
    interrupt = Interrupt("i", "r", subagent_run_id="s")
    assert encode_value(interrupt) == b'{"subagentRunId":"s","id":"i","reason":"r"}'


@pytest.mark.parametrize("value", [object(), {"a": [object()]}, [2**64, object()]])
def test_the_type_of_what_cannot_be_written_is_named(value: Any) -> None:
    with pytest.raises(EncodeError, match="object"):
        encode_value(value)


@pytest.mark.parametrize("value", [b"\xff", {(1, 2): 3}, [10**5000], {frozenset(): 1}, {"a": 1j}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(EncodeError):
        encode_value(value)


def test_a_value_within_itself_is_refused() -> None:
    value: list[Any] = ["x" * 1000]
    value.append(value)
    with pytest.raises(EncodeError, match="nested"):
        encode_value(value)


@pytest.mark.parametrize("leaf", [b"1", b'"\\ud83d"', b"18446744073709551616"])
def test_250_levels_are_written(leaf: bytes) -> None:
    text = b'{"a":[' * 125 + leaf + b"]}" * 125
    assert encode_value(decode_value(text)) == text


def test_too_many_levels_are_an_error_of_ours() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(EncodeError, match="nested"):
        encode_value(value)


def test_orjson_signs_exponents_as_the_official_encoder_does() -> None:
    assert orjson.dumps([1e16, 1.5e-9]) == b"[1e+16,1.5e-9]"
