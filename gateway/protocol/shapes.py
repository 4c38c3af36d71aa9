"""Shapes of wire values: each reads a plain JSON value, strips what it does not know and judges.

Unknown is not malformed. A member that a closed object does not declare is removed. A value whose
discriminator names no known member of its union is removed where it stands: from a list, or from
an optional place; from a required place its container goes too, and so outward. What is known must
be right: anything else raises `MalformedError`, and nothing is repaired.
Spec: `docs/spec/1.1/basic/processing.mdx`.
"""

import re
from typing import Any, Final, TypeAlias

from msgspec import Struct

from gateway.errors import MalformedError

Value: TypeAlias = Any
"""A JSON value."""

GONE: Final[Any] = object()
"""What a shape reads from a value that it does not recognise at all."""

POINTER: Final = r"\A(/([^/~]|~[01])*)*\Z"
"""The pattern of a JSON Pointer (RFC 6901)."""

_pointer = re.compile(POINTER).match


class Walk:
    """One pass over one value.

    `removed` collects the pointers of what was stripped, the container alone where a container
    went. With `lenient` a null in an optional place counts as absent.
    """

    __slots__ = ("lenient", "removed")

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self.removed: list[str] = []


def escape(key: str) -> str:
    """A key as a reference token of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def describe(value: Value) -> str:
    """A value as an error message shows it: JSON's name of its type, scalars themselves."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value!r:.60}"


class Shape:
    """A kind of value; `expected` names it in errors."""

    expected = "a JSON value"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        """The value without what is unknown, or `GONE`; raises MalformedError."""
        raise NotImplementedError

    def refuse(self, value: Value, pointer: str) -> MalformedError:
        return MalformedError(pointer, self.expected, describe(value))


class Anything(Shape):
    """Any JSON value; null too unless `nullable` is false."""

    def __init__(self, nullable: bool) -> None:
        self.nullable = nullable
        self.expected = "a JSON value" if nullable else "a JSON value other than null"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if value is None and not self.nullable:
            raise self.refuse(value, pointer)
        return value


class Text(Shape):
    """A string; one that is a JSON Pointer if `pointer` is true."""

    def __init__(self, pointer: bool = False) -> None:
        self.pointer = pointer
        self.expected = "a JSON Pointer" if pointer else "a string"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not str or (self.pointer and not _pointer(value)):
            raise self.refuse(value, pointer)
        return value


class Integer(Shape):
    """A whole number within bounds; `12.0` is one, `true` is not."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high
        self.expected = f"an integer from {low} to {high}"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not self.low <= value <= self.high:
            raise self.refuse(value, pointer)
        return value


class Flag(Shape):
    """True or false."""

    expected = "a boolean"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not bool:
            raise self.refuse(value, pointer)
        return value


class Choice(Shape):
    """One string of a closed set; another string is malformed, not unknown."""

    def __init__(self, values: tuple[str, ...]) -> None:
        self.values = values
        self.expected = " or ".join(f'"{value}"' for value in values)

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not str or value not in self.values:
            raise self.refuse(value, pointer)
        return value


class OpenObject(Shape):
    """An object whose members belong to the application."""

    expected = "an object"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not dict:
            raise self.refuse(value, pointer)
        return value


class Several(Shape):
    """A list; elements that are not recognised are dropped."""

    def __init__(self, item: Shape, minimum: int = 0) -> None:
        self.item = item
        self.minimum = minimum
        self.expected = f"an array of at least {minimum}" if minimum else "an array"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not list:
            raise self.refuse(value, pointer)
        read = self.item.read
        items = [read(item, f"{pointer}/{index}", walk) for index, item in enumerate(value)]
        kept = [item for item in items if item is not GONE]
        if len(kept) < self.minimum:
            raise self.refuse(value, pointer)
        return kept


class TextOr(Shape):
    """A string or a list, told apart by the JSON type."""

    def __init__(self, items: Several) -> None:
        self.items = items
        self.text = Text()
        self.expected = "a string or an array"

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is list:
            return self.items.read(value, pointer, walk)
        if type(value) is not str:
            raise self.refuse(value, pointer)
        return value


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

    def read(self, value: Value, pointer: str, walk: Walk) -> Value:
        if type(value) is not dict:
            raise self.refuse(value, pointer)
        name = value.get(self.tag)
        arm = self.arms.get(name) if type(name) is str else None
        if arm is None:
            walk.removed.append(pointer)
            return GONE
        return arm.read(value, pointer, walk)
