"""The shapes of the protocol's types, one set for each version, built once by reflection.

The Structs are the schema. Reflection knows all of it but what stands here: which members a later
version added, which are required on the wire although our constructors have a default, the one that
may be null for "absent", and that the only list of arbitrary values is a JSON Patch.
"""

from typing import Final, Literal, TypeAlias

from msgspec import NODEFAULT, Struct, inspect

from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.events import EVENTS
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import Message
from gateway.protocol.patches import Operation, PatchOperation
from gateway.protocol.records import Member, OneOf, Record
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

Version: TypeAlias = Literal["1.0", "1.1"]
"""A version of the protocol that a stream speaks; a newer minor speaks the latest known."""

SINCE_1_1: Final = frozenset({"encryptedValueType"})
REQUIRED_ON_WIRE: Final = frozenset({(RunAgentInput, "messages")})
NULL_IS_ABSENT: Final = frozenset({(RunAgentInput, "state")})
POINTERS: Final = frozenset({"path", "from"})


class Schema:
    """The shapes of one version: `events` by wire name, `messages`, `patch`, and all `records`.

    `records` holds the shape of every Struct, by class: events, input, capabilities and parts.
    """

    def __init__(self, version: Version) -> None:
        self._unknown = SINCE_1_1 if version == "1.0" else frozenset()
        self.records: dict[type[Struct], Record] = {}
        self.patch = Several(self.shape(inspect.type_info(PatchOperation)))
        self.events = {name: self.record(cls) for name, cls in EVENTS.items()}
        self.record(RunAgentInput)
        self.messages = Several(self.shape(inspect.type_info(Message)))
        self.record(AgentCapabilities)

    def record(self, cls: type[Struct]) -> Record:
        """The shape of a Struct."""
        info = inspect.type_info(cls)
        assert isinstance(info, inspect.StructType)
        return self._record(info)

    def shape(self, info: inspect.Type) -> Shape:
        """The shape of a type."""
        match info:
            case inspect.StrType():
                return Text()
            case inspect.BoolType():
                return Flag()
            case inspect.IntType(ge=low, le=high):
                assert low is not None, info
                assert high is not None, info
                return Integer(low, high)
            case inspect.LiteralType(values=values):
                return Choice(tuple(str(value) for value in values))
            case inspect.DictType():
                return OpenObject()
            case inspect.AnyType():
                return Anything(nullable=True)
            case inspect.ListType(item_type=inspect.AnyType()):
                return self.patch
            case inspect.ListType(item_type=item, min_length=minimum):
                return Several(self.shape(item), minimum or 0)
            case inspect.StructType():
                return self._record(info)
            case inspect.UnionType(types=types):
                return self._union(types)
        raise TypeError(f"no shape for {info}")

    def _union(self, types: tuple[inspect.Type, ...]) -> Shape:
        if any(isinstance(info, inspect.BoolType) for info in types):
            return Anything(nullable=False)
        lists = [info for info in types if isinstance(info, inspect.ListType)]
        if lists:
            items = self.shape(lists[0])
            assert isinstance(items, Several)
            return TextOr(items)
        arms = [info for info in types if isinstance(info, inspect.StructType)]
        tag = arms[0].tag_field
        assert tag is not None
        return OneOf(tag, {str(info.tag): self._record(info) for info in arms})

    def _record(self, info: inspect.StructType) -> Record:
        if info.cls in self.records:
            return self.records[info.cls]
        members = [self._member(info.cls, field) for field in info.fields]
        known = [member for member in members if member.name not in self._unknown]
        open = issubclass(info.cls, Operation)
        self.records[info.cls] = Record(info.cls, info.tag_field, known, open)
        return self.records[info.cls]

    def _member(self, cls: type[Struct], field: inspect.Field) -> Member:
        name = field.encode_name
        required = field.required or field.default is not NODEFAULT
        required = required or (cls, name) in REQUIRED_ON_WIRE
        shape = self.shape(field.type)
        if issubclass(cls, Operation) and name in POINTERS:
            shape = Text(pointer=True)
        return Member(name, field.name, shape, required, (cls, name) in NULL_IS_ABSENT)


SCHEMAS: Final[dict[Version, Schema]] = {"1.0": Schema("1.0"), "1.1": Schema("1.1")}
