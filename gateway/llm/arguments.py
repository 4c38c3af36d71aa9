"""Argument text of tool calls: what a model wrote, read as the object that a tool needs.

Models write nothing or `null` for a tool without parameters, and some gateways encode the object
twice. NaN and Infinity are no JSON; integers keep all their digits.
"""

from typing import Any

import msgspec

from gateway.llm.model import Call

ABSENT = ("", "null")


def read_call(id: str, name: str, text: str, cut: bool) -> Call:
    """The call as a whole. `cut` says that the token limit ended the answer, maybe inside of it."""
    if text.strip() in ABSENT:
        problem = "cut off by the token limit before its arguments" if cut else None
        return Call(id, name, "{}", {}, not cut, problem)
    try:
        value = msgspec.json.decode(text)
        if isinstance(value, str):
            value = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError) as error:
        return Call(id, name, text, None, False, _problem(str(error), cut))
    if not isinstance(value, dict):
        return Call(id, name, text, None, False, "the arguments must be a JSON object")
    return Call(id, name, text, value, True)


def object_of(text: str) -> dict[str, Any]:
    """The arguments for a provider that wants an object; invalid text is kept under one key."""
    call = read_call("", "", text, cut=False)
    return {"invalid_arguments": text} if call.arguments is None else call.arguments


def _problem(reason: str, cut: bool) -> str:
    return f"the arguments are no valid JSON: {reason}" + (" (cut off)" if cut else "")
