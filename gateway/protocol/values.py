"""Untyped JSON values: state, custom values, raw events, metadata, and whatever else is open.

Decoding keeps integers of any size (orjson would turn 2^64 into a float). Encoding spells numbers
as the official Python encoder does (`1e+16`, `1e-7`, NaN as null), by orjson where a value is
large, by msgspec where it is small or holds integers beyond 64 bits.
"""

import json
import re
from typing import Any, NoReturn

import msgspec
import orjson

from gateway.errors import DecodeError, EncodeError

__all__ = ["decode_value", "encode_value"]

LARGE = 16
"""Elements or members above which a container is left to orjson."""

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_UTC_Z
_EXPONENT = re.compile(rb"\de\d")
_STRING_OR_EXPONENT = re.compile(rb'"(?:[^"\\]|\\.)*"|(?<=\d)e(?:-0|\+0)?(?=\d)')


def decode_value(data: bytes | str) -> Any:
    """The value of a JSON text; raises DecodeError for anything that is no JSON.

    A lone surrogate escape is accepted, as JavaScript does. NaN, Infinity and numbers beyond a
    double's range are no JSON; nesting is bounded by the interpreter's recursion limit.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        if _has_surrogate_escape(data):
            return _decode_leniently(data)
        raise DecodeError(str(error)) from error
    except RecursionError as error:
        raise DecodeError("JSON is nested too deeply") from error
    except UnicodeError as error:
        raise DecodeError(f"JSON is not UTF-8: {error}") from error


def encode_value(value: Any) -> bytes:
    """The compact JSON of a value.

    Takes what JSON knows, and also Structs, dataclasses, dates, UUIDs, enums, Decimals and numpy
    arrays. Raises EncodeError for anything else. A lone surrogate is written as its escape.
    """
    try:
        if _is_large(value):
            return orjson.dumps(value, default=_builtin, option=_OPTIONS)
    except orjson.JSONEncodeError:
        pass  # what orjson refuses (big integers, other keys than strings) is left to msgspec
    return _encode_small(value)


def _encode_small(value: Any) -> bytes:
    try:
        text = _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _encode_surrogates(value)
    except RecursionError as error:
        raise EncodeError("the value is nested too deeply or holds itself") from error
    except (TypeError, ValueError) as error:
        raise EncodeError(f"a value cannot be written as JSON: {error}") from error
    return _respell_exponents(text) if _EXPONENT.search(text) else text


def _is_large(value: Any) -> bool:
    if type(value) is dict:
        return len(value) > LARGE or any(map(_is_long, value.values()))
    if type(value) is list:
        return len(value) > LARGE or any(map(_is_long, value))
    return False


def _is_long(value: Any) -> bool:
    return type(value) in (dict, list) and len(value) > LARGE


def _builtin(value: Any) -> Any:
    """For orjson: what only msgspec knows."""
    try:
        return msgspec.to_builtins(value)
    except RecursionError:
        raise TypeError("nested too deeply") from None


def _raw(value: Any) -> msgspec.Raw:
    """For msgspec: what only orjson knows."""
    try:
        return msgspec.Raw(orjson.dumps(value, option=_OPTIONS))
    except orjson.JSONEncodeError:
        raise TypeError(f"{type(value).__name__} is no JSON value") from None


_ENCODER = msgspec.json.Encoder(enc_hook=_raw)


def _respell_exponents(text: bytes) -> bytes:
    """Write `1e16` as `1e+16` and `1e-07` as `1e-7`, outside of strings."""

    def respell(match: re.Match[bytes]) -> bytes:
        found = match.group()
        if found.startswith(b'"'):
            return found
        return b"e-" if found == b"e-0" else b"e+"

    return _STRING_OR_EXPONENT.sub(respell, text)


def _encode_surrogates(value: Any) -> bytes:
    """The slow way for text with lone surrogates, which UTF-8 cannot carry: as escapes."""
    try:
        text = json.dumps(
            _finite(msgspec.to_builtins(value)), ensure_ascii=False, separators=_COMPACT
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise EncodeError(f"a value cannot be written as JSON: {error}") from error
    return _respell_exponents(text.encode("utf-8", "backslashreplace"))


_COMPACT = (",", ":")


def _finite(value: Any) -> Any:
    """The same value with NaN and infinities as null."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_finite(element) for element in value]
    return value


def _has_surrogate_escape(data: bytes | str) -> bool:
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return re.search(rb"\\u[dD][89a-fA-F]", text) is not None


def _decode_leniently(data: bytes | str) -> Any:
    try:
        text = data if isinstance(data, str) else data.decode()
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise DecodeError("JSON is nested too deeply") from error
    except ValueError as error:
        raise DecodeError(str(error)) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")
