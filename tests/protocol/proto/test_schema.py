"""The schema agrees with the frozen field numbers and with the events."""

import re
from pathlib import Path

from gateway.protocol.proto.schema import ARMS, MESSAGES, OPERATIONS, camel
from gateway_native import kinds

FREEZE = Path(__file__).parents[2] / "data" / "conformance" / "proto-freeze-1.1.txt"
SLOT = re.compile(r"^(?P<message>\w+(\.[A-Z]\w*)?)(\.[a-z]+)?\.(?P<field>\w+) = (?P<number>\d+)$")
ENUMS = {"EventType", "JsonPatchOperationType"}


def frozen() -> dict[str, dict[str, int]]:
    slots: dict[str, dict[str, int]] = {}
    for line in FREEZE.read_text().splitlines():
        if match := SLOT.match(line):
            slots.setdefault(match["message"], {})[match["field"]] = int(match["number"])
    return slots


def test_every_frozen_number_is_in_the_schema_and_no_other() -> None:
    expected = {
        message: {camel(name): number for name, number in slots.items()}
        for message, slots in frozen().items()
        if message not in ENUMS
    }
    actual = {
        message.name: {field.name: field.number for field in message.fields}
        for message in MESSAGES.values()
    }
    assert actual == expected


def test_enums_are_the_kinds_and_the_operations() -> None:
    slots = frozen()
    assert slots["EventType"] == {name: kind for kind, name in enumerate(kinds.NAMES)}
    names = [name.upper() for name in OPERATIONS]
    assert slots["JsonPatchOperationType"] == {name: i for i, name in enumerate(names)}


def test_every_event_has_an_arm() -> None:
    assert set(ARMS) == set(kinds.NAMES)
    assert all(MESSAGES[arm.kind].fields[0].name == "baseEvent" for arm in ARMS.values())


def test_every_kind_is_known() -> None:
    scalars = {"string", "int32", "int64", "bool", "Value", "Struct"}
    used = {field.kind for message in MESSAGES.values() for field in message.fields}
    assert used <= scalars | set(MESSAGES)
