"""The table of messages, made once from their definitions.

The JSON name of a field is its name in camelCase.
"""

import re
from dataclasses import dataclass
from typing import Final

from gateway.protocol.proto.definitions import DEFINITIONS
from gateway.protocol.proto.wire import LENGTH_DELIMITED, VARINT, varint

WIRE_TYPES: Final = {"int32": VARINT, "int64": VARINT, "bool": VARINT}
"""Wire types of numbers; all other kinds are length-delimited."""

DEFAULTS: Final[dict[str, str | int]] = {"string": "", "int32": 0}
"""What a scalar without presence reads as when it is absent."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field; `name` is its JSON name, `where` names it in errors, `tag` stands before values.

    An `implicit` field has no presence.
    """

    name: str
    number: int
    kind: str
    repeated: bool
    implicit: bool
    where: str
    wire_type: int
    tag: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """One message type; `fields` by ascending number, `defaulted` those that never read absent."""

    name: str
    fields: tuple[Field, ...]
    by_number: dict[int, Field]
    defaulted: tuple[Field, ...]


def camel(name: str) -> str:
    """`message_id` to `messageId`."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _field(message: str, label: str, kind: str, name: str, number: int) -> Field:
    wire_type = WIRE_TYPES.get(kind, LENGTH_DELIMITED)
    return Field(
        name=camel(name),
        number=number,
        kind=kind,
        repeated=label == "repeated ",
        implicit=not label and kind in DEFAULTS,
        where=f"{message}.{camel(name)}",
        wire_type=wire_type,
        tag=varint(number << 3 | wire_type),
    )


def _message(name: str, body: str) -> Message:
    found = re.findall(r"(optional |repeated |)([\w.]+) (\w+) = (\d+);", body)
    fields = [_field(name, label, kind, field, int(number)) for label, kind, field, number in found]
    fields.sort(key=lambda field: field.number)
    defaulted = tuple(field for field in fields if field.implicit or field.repeated)
    return Message(name, tuple(fields), {field.number: field for field in fields}, defaulted)


MESSAGES: Final = {
    name: _message(name, body)
    for name, body in re.findall(r"message ([\w.]+) \{(.*?)\}", DEFINITIONS, re.DOTALL)
}
"""Each message by its name."""

ENVELOPE: Final = MESSAGES["Event"]
"""The message of one frame; exactly one of its fields, the arm, is set."""

ARMS: Final = {re.sub(r"([A-Z])", r"_\1", field.name).upper(): field for field in ENVELOPE.fields}
"""The arm of each event, by its wire name."""

OPERATIONS: Final = ["add", "remove", "replace", "move", "copy", "test"]
"""Operations of a JSON Patch, by number."""
