"""Shapes of the objects that the protocol declares: records, and unions told apart by a tag."""

from msgspec import Struct

from gateway.errors import MalformedError
from gateway.protocol.shapes import GONE, Shape, Value, Walk, escape


class Member(Struct, frozen=True):
    """A member that an object declares: its name on the wire and of the attribute.

    `lenient` ones are absent when null, whoever reads.
    """

    name: str
    attribute: str
    shape: Shape
    required: bool
    lenient: bool


class Record(Shape):
    """An object with declared members; `tag` is the discriminator, read by whoever chose it.

    Members that are not declared are stripped, or kept if the object is `open`.
    """

    expected = "an object"

    def __init__(self, cls: type[Struct], tag: str | None, members: list[Member], open: bool):
        self.cls = cls
        self.classes = (cls,)
        self.tag = tag
        self.members = members
        self.open = open
        self.known = {member.name for member in members} | ({tag} if tag else set())

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not dict:
            raise self.refuse(value, pointer)
        mark = len(walk.removed)
        clean = self._outline(value, pointer, walk)
        fault: MalformedError | None = None
        for member in self.members:
            try:
                kept = _read_member(member, value, f"{pointer}/{member.name}", walk)
            except MalformedError as error:
                fault = fault or error
                continue
            if kept is not GONE:
                clean[member.name] = kept
            elif member.required:
                walk.removed[mark:] = [pointer]
                return GONE
        if fault:
            raise fault
        return clean

    def _outline(self, value: dict[str, Value], pointer: str, walk: Walk) -> dict[str, Value]:
        """What stays of an object before its members are read."""
        if self.open:
            return dict(value)
        walk.removed += [f"{pointer}/{escape(key)}" for key in value if key not in self.known]
        return {self.tag: value[self.tag]} if self.tag else {}


def _read_member(member: Member, value: dict[str, Value], pointer: str, walk: Walk) -> Value:
    """What a member holds; `GONE` if an optional one is absent or a value not recognised."""
    found = value.get(member.name, GONE)
    if found is None and not member.required and (walk.lenient or member.lenient):
        return GONE
    if found is not GONE:
        return member.shape.read(found, pointer, walk)
    if member.required:
        raise MalformedError(pointer, member.shape.expected, "nothing")
    return GONE


class OneOf(Shape):
    """A union of records told apart by the string in `tag`."""

    expected = "an object"

    def __init__(self, tag: str, arms: dict[str, Record]) -> None:
        self.tag = tag
        self.arms = arms
        self.classes = tuple(arm.cls for arm in arms.values())
        self.open = all(arm.open for arm in arms.values())

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not dict:
            raise self.refuse(value, pointer)
        name = value.get(self.tag)
        arm = self.arms.get(name) if type(name) is str else None
        if arm is None:
            walk.removed.append(pointer)
            return GONE
        return arm.read(value, pointer, walk)
