"""Strict twins of the Structs, with which msgspec itself decides whether a value is all known.

A twin refuses what a Struct would take without a word: members of another version, constants left
out, a path in a patch that is no pointer. Where a twin converts, stripping would change nothing and
the Struct is made straight away; nearly every value is like that. Where it does not, `shapes` finds
out why. Twins are built from the shapes, so the two cannot disagree.
"""

from typing import Annotated, Any, Literal, Union

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from gateway.protocol.base import Present
from gateway.protocol.input import RunAgentInput
from gateway.protocol.records import Member, OneOf, Record
from gateway.protocol.schema import Schema
from gateway.protocol.shapes import (
    POINTER,
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


class Twins:
    """The twins of one schema."""

    def __init__(self, schema: Schema) -> None:
        self._twins: dict[type[Struct], type[Struct]] = {}
        self.events = {name: self.twin(record) for name, record in schema.events.items()}
        self.input = self.twin(schema.records[RunAgentInput])

    def twin(self, record: Record) -> type[Struct]:
        """The twin of a record's Struct."""
        if record.cls not in self._twins:
            self._twins[record.cls] = defstruct(
                record.cls.__name__,
                [self._field(member) for member in record.members],
                kw_only=True,
                rename={member.attribute: member.name for member in record.members},
                tag_field=record.tag,
                tag=record.cls.__struct_config__.tag,
                forbid_unknown_fields=not record.open,
            )
        return self._twins[record.cls]

    def _field(self, member: Member) -> Any:
        kind = self._type(member.shape)
        if member.required:
            return (member.attribute, kind)
        return (member.attribute, kind | UnsetType, UNSET)

    def _type(self, shape: Shape) -> Any:
        match shape:
            case Text(pointer=pointer):
                return Annotated[str, Meta(pattern=POINTER)] if pointer else str
            case Flag():
                return bool
            case Integer(low=low, high=high):
                return Annotated[int, Meta(ge=low, le=high)]
            case Choice(values=values):
                return Literal[values]
            case OpenObject():
                return dict[str, Any]
            case Anything(nullable=nullable):
                return Any if nullable else Present
            case Several(item=item, minimum=minimum):
                items = list.__class_getitem__(self._type(item))
                return Annotated[items, Meta(min_length=minimum)]
            case TextOr(items=parts):
                return str | self._type(parts)
            case OneOf(arms=arms):
                return Union[tuple(self.twin(arm) for arm in arms.values())]  # noqa: UP007
            case Record():
                return self.twin(shape)
        raise TypeError(f"no twin for {shape}")
