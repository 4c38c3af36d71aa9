"""The check of an event that an author built: types and ranges of all its members.

Structs do not check what they are constructed from, so the verifier calls `check_event` before an
event leaves. Nothing is stripped or converted here: an event of ours that is not right is a fault
of the agent. What lies inside open JSON is the encoder's business.
"""

from typing import Any, Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import astuple

from gateway.errors import MalformedError
from gateway.protocol.events import Event
from gateway.protocol.records import Member, OneOf, Record
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.shapes import GONE, Flag, OpenObject, Several, Shape, Text, TextOr, Walk

Slot: TypeAlias = tuple[frozenset[type], Member]
"""An attribute: the types of a value that settle the question, and the member that it is."""


def check_event(event: Event) -> None:
    """Raise MalformedError, with the pointer of the member, for a value the protocol rejects.

    Operations of a JSON Patch may be Structs or plain objects. Takes under a microsecond for
    an event without nested values.
    """
    _check_members(event, _SLOTS[type(event)], "")


def _check_members(value: Struct, slots: list[Slot], pointer: str) -> None:
    for found, (settled, member) in zip(astuple(value), slots, strict=True):
        if type(found) not in settled:
            _check_member(found, member, f"{pointer}/{member.name}")


def _check_member(value: Any, member: Member, pointer: str) -> None:
    if value is UNSET:
        raise MalformedError(pointer, member.shape.expected, "nothing")
    _check(value, member.shape, pointer)


def _check(value: Any, shape: Shape, pointer: str) -> None:
    match shape:
        case Several():
            _check_list(value, shape, pointer)
        case TextOr() if type(value) is list:
            _check_list(value, shape.items, pointer)
        case OneOf() | Record():
            _check_struct(value, shape, pointer)
        case _:
            shape.read(value, pointer, Walk())


def _check_list(value: Any, shape: Several, pointer: str) -> None:
    if not isinstance(value, list) or len(value) < shape.minimum:
        raise shape.refuse(value, pointer)
    for index, item in enumerate(value):
        _check(item, shape.item, f"{pointer}/{index}")


def _check_struct(value: Any, shape: Record | OneOf, pointer: str) -> None:
    """A Struct of the shape, or a plain object where the shape is open."""
    if type(value) in shape.classes:
        _check_members(value, _SLOTS[type(value)], pointer)
    elif not shape.open or shape.read(value, pointer, Walk()) is GONE:
        expected = " or ".join(cls.__name__ for cls in shape.classes)
        raise MalformedError(pointer, expected, f"{value!r:.60}")


def _slot(member: Member) -> Slot:
    shape = member.shape
    settled: set[type] = set() if member.required else {UnsetType}
    if isinstance(shape, Text) and not shape.pointer:
        settled.add(str)
    if isinstance(shape, Flag):
        settled.add(bool)
    if isinstance(shape, OpenObject):
        settled.add(dict)
    return frozenset(settled), member


_SLOTS: Final[dict[type[Struct], list[Slot]]] = {
    cls: [_slot(member) for member in record.members]
    for cls, record in SCHEMAS["1.1"].records.items()
}
