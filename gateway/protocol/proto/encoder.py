"""Events to protobuf, byte for byte as the first-party encoders write them."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from gateway.errors import EncodeError
from gateway.protocol.base import MAX_SAFE_INTEGER
from gateway.protocol.events import Event
from gateway.protocol.proto.layout import TO_MESSAGE
from gateway.protocol.proto.schema import ARMS, MESSAGES, Message
from gateway.protocol.proto.values import write_struct, write_text, write_value
from gateway.protocol.proto.wire import delimited, varint
from gateway.protocol.values import decode_value, encode_value

ENVELOPE_MEMBERS: Final = ("timestamp", "rawEvent", "metadata")


def encode_proto(event: Event) -> bytes:
    """One frame: the length of the message in 4 bytes, big-endian, and the message.

    Raises EncodeError, naming the member, for an event that protobuf cannot carry. What its
    messages do not describe (members of a patch operation that RFC 6902 does not define) is left
    out, and so is the difference between integers and floats in open JSON.
    """
    message = encode_message(event)
    return len(message).to_bytes(4, "big") + message


def encode_message(event: Event) -> bytes:
    """The bare message, as `encode_proto` without the length."""
    try:
        body = _plain(event)
        base: dict[str, Any] = {"type": event.kind}
        for name in ENVELOPE_MEMBERS:
            if name in body:
                base[name] = body[name]
        body["baseEvent"] = base
        arm = ARMS[event.type]
        return arm.tag + delimited(_write_message(body, MESSAGES[arm.kind], arm.where))
    except RecursionError:
        raise EncodeError(f"{event.type}: values nest too deeply") from None


def _plain(event: Event) -> dict[str, Any]:
    """A copy in dicts and lists, which laying out may change."""
    try:
        body: dict[str, Any] = msgspec.to_builtins(event, str_keys=True, enc_hook=_through_json)
    except (TypeError, ValueError) as error:
        raise EncodeError(f"{event.type}: {error}") from None
    return body


def _through_json(value: Any) -> Any:
    """For msgspec: what only the JSON encoding knows, such as arrays of numpy."""
    return decode_value(encode_value(value))


def _write_message(value: Any, message: Message, where: str) -> bytes:
    if type(value) is not dict:
        raise _unfit(value, where, "an object")
    if lay_out := TO_MESSAGE.get(message.name):
        value = lay_out(value)
    out = bytearray()
    for field, write in PLANS[message.name]:
        if field.name not in value:
            continue
        member = value[field.name]
        if field.repeated:
            for item in _list(member, field.where):
                out += field.tag + write(item, field.where)
        elif not (field.implicit and (member == "" or member == 0)):
            out += field.tag + write(member, field.where)
    return bytes(out)


def _list(value: Any, where: str) -> list[Any]:
    if type(value) is not list:
        raise _unfit(value, where, "a list")
    return value


def _string(value: Any, where: str) -> bytes:
    if type(value) is not str:
        raise _unfit(value, where, "a string")
    return delimited(write_text(value))


def _integer(value: Any, where: str) -> bytes:
    if type(value) is not int or not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        raise _unfit(value, where, "an integer within ±(2^53−1)")
    return varint(value)


def _bool(value: Any, where: str) -> bytes:
    if type(value) is not bool:
        raise _unfit(value, where, "a boolean")
    return varint(value)


def _value(value: Any, where: str) -> bytes:
    return delimited(write_value(value, where))


def _struct(value: Any, where: str) -> bytes:
    if type(value) is not dict:
        raise _unfit(value, where, "an object")
    return delimited(write_struct(value, where))


def _unfit(value: Any, where: str, expected: str) -> EncodeError:
    return EncodeError(f"{where}: expected {expected}, found {value!r:.80}")


Write = Callable[[Any, str], bytes]

WRITERS: Final[dict[str, Write]] = {
    "string": _string,
    "int32": _integer,
    "int64": _integer,
    "bool": _bool,
    "Value": _value,
    "Struct": _struct,
}


def _writer(kind: str) -> Write:
    """What writes a value of a kind, with its length where it has one."""
    if kind in WRITERS:
        return WRITERS[kind]
    message = MESSAGES[kind]
    return lambda value, where: delimited(_write_message(value, message, where))


PLANS: Final = {
    message.name: [(field, _writer(field.kind)) for field in message.fields]
    for message in MESSAGES.values()
}
"""The fields of each message in the order in which they are written, with their writers."""
