"""Untyped JSON values: state, custom values, raw events, metadata, and whatever else is open.

Decoding keeps integers of any size, which orjson would turn into floats. Encoding spells everything
as the official Python encoder does (`1e+16`, `1e-7`, NaN as null, raw UTF-8), which is orjson's
spelling. The few values that orjson refuses, integers beyond 64 bits, text with lone surrogates and
keys that are no strings, are written piece by piece.
"""

import json
import re
from math import isinf
from typing import Any, Final, NoReturn

import msgspec
import orjson

from gateway.errors import DecodeError, EncodeError
from gateway.protocol.wire_order import SLOTS, members_of

__all__ = ["decode_value", "encode_value"]

OPTIONS: Final = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_UTC_Z

ATTEMPTS: Final = 4
"""Levels of a refused value whose parts orjson may try; bounds the bytes written in vain."""

_escaped_surrogate: Final = re.compile(rb"\\u[dD][89a-fA-F]").search
_surrogate: Final = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]").search


def decode_value(data: bytes | str) -> Any:
    """The value of a JSON text; raises DecodeError for anything that is no JSON.

    Lone surrogates are accepted, as JavaScript does. NaN, Infinity, numbers beyond a double's range
    and integers of more than 4300 digits are refused; nesting is bounded by the interpreter's
    recursion limit.
    """
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise DecodeError("JSON is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        if not _may_hold_surrogates(data):
            raise DecodeError(str(error)) from error
    return _decode_surrogates(data)


def encode_value(value: Any) -> bytes:
    """The compact JSON of a value.

    Takes what JSON knows, protocol types (in the order of the schema), other Structs, dataclasses,
    dates, UUIDs, enums, Decimals, sets, bytes that are UTF-8, and numpy arrays. Keys that are not
    strings are written as their JSON, a lone surrogate as its escape, NaN and infinities as null.
    Raises EncodeError for anything else, for more than 4300 digits, for many more than 250 levels
    and so for a value within itself.
    """
    try:
        return orjson.dumps(value, _plain, OPTIONS)
    except orjson.JSONEncodeError:
        return _encode_pieces(value)


def _may_hold_surrogates(data: bytes | str) -> bool:
    found = _surrogate(data) if isinstance(data, str) else _escaped_surrogate(data)
    return found is not None


def _decode_surrogates(data: bytes | str) -> Any:
    """The slow way for text that has no UTF-8 form; otherwise as strict as the usual one."""
    try:
        text = data if isinstance(data, str) else data.decode()
        return json.loads(text, parse_constant=_refuse, parse_float=_float)
    except RecursionError:
        raise DecodeError("JSON is nested too deeply") from None
    except ValueError as error:
        raise DecodeError(str(error)) from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")


def _float(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"number out of range: {text:.40}")
    return number


def _plain(value: Any) -> Any:
    """What stands for a value that orjson does not know; raises TypeError if nothing does."""
    if type(value) in SLOTS:
        return members_of(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode()
    return msgspec.to_builtins(value, builtin_types=(bytes, bytearray, memoryview), enc_hook=_base)


def _base(value: Any) -> Any:
    """A number or text without its subclass, an array of a foreign library as lists."""
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__qualname__} is no JSON value")


def _encode_pieces(value: Any) -> bytes:
    try:
        return _write_parts(value, ATTEMPTS)
    except RecursionError:
        raise EncodeError("the value is nested too deeply or holds itself") from None
    except (TypeError, ValueError) as error:
        raise EncodeError(f"a value cannot be written as JSON: {error}") from error


def _write(value: Any, attempts: int) -> bytes:
    if attempts > 0 or not isinstance(value, dict | list | tuple):
        try:
            return orjson.dumps(value, _plain if attempts > 0 else None, OPTIONS)
        except orjson.JSONEncodeError:
            pass
    return _write_parts(value, attempts - 1)


def _write_parts(value: Any, attempts: int) -> bytes:
    if isinstance(value, dict):
        members = [_write_key(key) + b":" + _write(value[key], attempts) for key in value]
        return b"{" + b",".join(members) + b"}"
    if isinstance(value, list | tuple):
        return b"[" + b",".join([_write(element, attempts) for element in value]) + b"]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    if isinstance(value, int):
        return str(int(value)).encode()
    return _write(_plain(value), attempts)


def _write_key(key: Any) -> bytes:
    text = _write(key, 0)
    if text[0] in b"[{":
        raise TypeError(f"{type(key).__qualname__} is no key of an object")
    return text if text.startswith(b'"') else b'"' + text + b'"'
