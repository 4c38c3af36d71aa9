"""The shapes agree with the published table of events and types."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.protocol.records import Record
from gateway.protocol.schema import SCHEMAS, Version
from gateway.protocol.shapes import Anything, Choice, Integer

TABLE = json.loads(
    (Path(__file__).parent.parent / "data" / "conformance" / "event_table.json").read_text()
)
EVENTS: dict[str, Any] = TABLE["events"]


def _fields(name: str, version: Version) -> dict[str, dict[str, Any]]:
    fields = [field for field in EVENTS[name]["fields"] if field["name"] != "type"]
    return {field["name"]: field for field in fields if field["since"] <= version}


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("name", EVENTS)
def test_events_have_the_members_of_their_version(name: str, version: Version) -> None:
    record = SCHEMAS[version].events[name]
    fields = _fields(name, version)
    assert {member.name for member in record.members} == set(fields)
    for member in record.members:
        field = fields[member.name]
        assert member.required == field["required"], member.name
        if isinstance(member.shape, Anything):
            assert member.shape.nullable == field["nullable"], member.name
        if isinstance(member.shape, Integer):
            assert (member.shape.low, member.shape.high) == (field["minimum"], field["maximum"])
        if isinstance(member.shape, Choice) and "enum" in field:
            assert set(member.shape.values) == set(field["enum"])


def test_constants_with_a_default_are_required_on_the_wire() -> None:
    records = {cls.__name__: record for cls, record in SCHEMAS["1.0"].records.items()}
    assert _required(records["ToolCall"]) == {"id", "type", "function"}
    assert _required(records["ReasoningMessageStart"]) == {"messageId", "role"}
    assert _required(records["RunAgentInput"]) == {"threadId", "runId", "messages"}


def test_only_patch_operations_are_open() -> None:
    open_records = {cls.__name__ for cls, r in SCHEMAS["1.1"].records.items() if r.open}
    assert open_records == {
        f"{n}Operation" for n in ("Add", "Remove", "Replace", "Move", "Copy", "Test")
    }


def _required(record: Record) -> set[str]:
    return {member.name for member in record.members if member.required}
