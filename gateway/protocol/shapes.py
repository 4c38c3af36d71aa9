"""Shapes of wire values: each reads a plain JSON value, strips what it does not know and judges.

Unknown is not malformed. A member that a closed object does not declare is removed. A value whose
discriminator names no known member of its union is removed where it stands: from a list, or from
an optional place; from a required place its container goes too, and so outward. What is known must
be right: anything else raises `MalformedError`, and nothing is repaired.
Spec: `docs/spec/1.1/basic/processing.mdx`.
"""

import re
from typing import Any, Final, TypeAlias

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
        if not isinstance(value, str) or (self.pointer and not _pointer(value)):
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
        if not isinstance(value, str) or value not in self.values:
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
