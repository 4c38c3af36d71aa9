"""Hypothesis strategies for protocol values: JSON, and any Struct by reflection over its fields."""

from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from gateway.protocol.base import MAX_SAFE_INTEGER
from gateway.protocol.events import EVENT_CLASSES, Event
from gateway.protocol.patches import Operation

TEXT = st.text(max_size=12)
"""Short strings without lone surrogates."""

NUMBERS = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER) | st.floats(
    allow_nan=False, allow_infinity=False
)

SCALARS = st.booleans() | NUMBERS | TEXT
KEYS = TEXT | st.integers(0, 40).map(str)

JSON = st.recursive(
    st.none() | SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
"""Any JSON value; object keys often look like array indices."""

OBJECTS = st.dictionaries(KEYS, JSON, max_size=3)
PRESENT = SCALARS | st.lists(JSON, max_size=3) | OBJECTS
"""Any JSON value but null."""


def structs(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Instances of a Struct; optional members are there or not."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    return _struct(info)


def operations() -> st.SearchStrategy[dict[str, Any]]:
    """Operations of a JSON Patch, as the wire gives them."""
    classes = st.sampled_from(Operation.__subclasses__())
    return classes.flatmap(structs).map(msgspec.to_builtins)


def events() -> st.SearchStrategy[Event]:
    """Events of all kinds."""
    return st.sampled_from(EVENT_CLASSES).flatmap(structs)


def _struct(info: inspect.StructType) -> st.SearchStrategy[Any]:
    required = {f.name: _of(f.type) for f in info.fields if f.required}
    optional = {f.name: _of(f.type) for f in info.fields if not f.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda fields: info.cls(**fields))


def _of(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StrType():
            return TEXT
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=low, le=high):
            return st.integers(low, high)
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.ListType(item_type=inspect.AnyType()):
            return st.lists(operations(), max_size=3)
        case inspect.ListType(item_type=item, min_length=least):
            return st.lists(_of(item), min_size=least or 0, max_size=3)
        case inspect.AnyType():
            return JSON
        case inspect.UnionType(types=types) if any(type(t) is inspect.FloatType for t in types):
            return PRESENT
        case inspect.UnionType(types=types):
            return st.one_of([_of(one) for one in types])
        case inspect.DictType():
            return OBJECTS
        case inspect.StructType():
            return _struct(info)
    raise TypeError(f"no strategy for {info}")
