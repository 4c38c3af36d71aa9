"""JSON text into the types that authors write: Structs, dataclasses, dicts, pydantic models."""

from typing import Any, TypeVar

import msgspec

from gateway.errors import DecodeError

T = TypeVar("T")


def decode_as(text: str | bytes, type: type[T]) -> T:
    """The value of a JSON text as a `type`, strictly: "7" is no number.

    Raises DecodeError saying which member does not fit, or that the text is no JSON.
    """
    try:
        decoded: T = _decode(text, type)
        return decoded
    except ValueError as error:
        raise DecodeError(_reason(error)) from error


def _decode(text: str | bytes, type: Any) -> Any:
    if hasattr(type, "model_validate_json"):
        return type.model_validate_json(text, strict=True)
    return msgspec.json.decode(text, type=type)


def _reason(error: ValueError) -> str:
    """What is wrong where; the text of a pydantic error would quote the values."""
    places = getattr(error, "errors", None)
    if places is None:
        return str(error)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in places())
