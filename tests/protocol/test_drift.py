"""The Structs hold what the published table of events and types describes, in its order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from gateway.protocol.events import EVENT_CLASSES, EVENTS, Attributable
from gateway.protocol.records import Member, OneOf, Record
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.shapes import (
    Anything,
    Choice,
    Flag,
    Integer,
    OpenObject,
    Several,
    Shape,
    Text,
    TextOr,
)
from gateway.protocol.wire_order import SLOTS

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "conformance" / "event_table.json").read_text()
)
ENVELOPE = {"timestamp", "rawEvent", "metadata", "subagentRunId"}
BASES = {"BaseMessage", "BaseEvent", "Attributable", "Metadata"}
"""Definitions that others are composed of; none is a type of its own."""

CLASS_NAMES = {
    "RunFinishedSuccessOutcome": "SuccessOutcome",
    "RunFinishedInterruptOutcome": "InterruptOutcome",
    "RunFinishedCancelledOutcome": "CancelledOutcome",
    "SubagentFinishedSuccessOutcome": "SubagentSuccessOutcome",
    "SubagentFinishedSuspendedOutcome": "SuspendedOutcome",
}
SCALARS = {
    "SubagentRunId": "string",
    "Metadata": "object",
}
TYPES: dict[str, Any] = {
    name: definition for group in TABLE["types"].values() for name, definition in group.items()
}
UNIONS = {
    name: {CLASS_NAMES.get(arm, arm) for arm in definition["union"]}
    for name, definition in TYPES.items()
    if "union" in definition
}
RECORDS = {cls.__name__: record for cls, record in SCHEMAS["1.1"].records.items()}


def _definitions() -> Iterator[tuple[str, dict[str, Any], type[Struct]]]:
    for name, definition in TABLE["events"].items():
        yield name, definition, EVENTS[name]
    for name, definition in TYPES.items():
        if "fields" in definition and name not in BASES:
            yield name, definition, RECORDS[CLASS_NAMES.get(name, name)].cls


DEFINITIONS = list(_definitions())
NAMES = [name for name, _, _ in DEFINITIONS]


def _described(field: dict[str, Any]) -> str:
    """A member's type as the table has it, names of scalar types resolved."""
    if "enum" in field:
        return " | ".join(sorted(field["enum"]))
    if field["type"] == "State" or field["type"].startswith("json"):
        return "any" if field["nullable"] else "any but null"
    if field["type"] == "integer":
        return f"{field['minimum']}…{field['maximum']}"
    named = str(field["type"])
    return SCALARS.get(named, named).strip('"')


def _held(shape: Shape) -> str:
    """A member's type as the Structs have it."""
    match shape:
        case Text(pointer=True):
            return "JsonPointer"
        case Text():
            return "string"
        case Integer(low=low, high=high):
            return f"{low}…{high}"
        case Flag():
            return "boolean"
        case Choice(values=values):
            return " | ".join(sorted(values))
        case OpenObject():
            return "object"
        case Anything(nullable=nullable):
            return "any" if nullable else "any but null"
        case TextOr(items=items):
            return f"string | {_held(items)}"
        case Several(item=item):
            return "JsonPatch" if shape is SCHEMAS["1.1"].patch else f"array<{_held(item)}>"
        case OneOf(classes=classes):
            names = {cls.__name__ for cls in classes}
            return next(name for name, arms in UNIONS.items() if arms == names)
        case Record(cls=cls):
            return cls.__name__
    raise AssertionError(shape)


def _members(cls: type[Struct], version: Any) -> dict[str, Member]:
    return {member.name: member for member in SCHEMAS[version].records[cls].members}


@pytest.mark.parametrize(("name", "definition", "cls"), DEFINITIONS, ids=NAMES)
def test_members_are_those_of_the_table(
    name: str, definition: dict[str, Any], cls: type[Struct]
) -> None:
    tag = cls.__struct_config__.tag_field
    fields = {field["name"]: field for field in definition["fields"]}
    if tag:
        assert fields.pop(tag)["const"] == cls.__struct_config__.tag
    members = _members(cls, "1.1")
    assert set(members) == set(fields)
    for each, field in fields.items():
        assert _held(members[each].shape) == _described(field), each
        assert members[each].required == field["required"], each
        assert (each in _members(cls, "1.0")) == (field["since"] == "1.0"), each
    assert SCHEMAS["1.1"].records[cls].open != definition["closed"]


@pytest.mark.parametrize(("name", "definition", "cls"), DEFINITIONS, ids=NAMES)
def test_members_are_written_in_the_order_of_the_table(
    name: str, definition: dict[str, Any], cls: type[Struct]
) -> None:
    described = [field["name"] for field in definition["fields"]]
    written = [each for each, _ in SLOTS[cls]]
    if name in EVENTS:  # the envelope is written last; a subagent's own events name it first
        own = ENVELOPE - {"subagentRunId"} if "subagentRunId" in written[:2] else ENVELOPE
        described = [each for each in described if each not in own]
        assert set(written[len(described) :]) <= own
        written = written[: len(described)]
    assert written == described


def test_kinds_are_the_numbers_of_the_protobuf_event_types() -> None:
    numbers = {name: each["protobuf"]["event_type_enum"] for name, each in TABLE["events"].items()}
    assert numbers == {cls.type: kind for kind, cls in enumerate(EVENT_CLASSES)}


def test_attributable_events_are_those_of_the_table() -> None:
    described = {name for name, each in TABLE["events"].items() if each["attributable"]}
    assert described == {name for name, cls in EVENTS.items() if issubclass(cls, Attributable)}


def test_no_type_is_missing_from_the_table() -> None:
    names = {CLASS_NAMES.get(name, name) for name in TYPES}
    names |= {cls.__name__ for cls in EVENT_CLASSES}
    assert set(RECORDS) <= names
