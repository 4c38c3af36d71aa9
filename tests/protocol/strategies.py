"""Hypothesis strategies for JSON, from arbitrary to nearly right, drawn from the shapes."""

from typing import Any

from hypothesis import strategies as st

from gateway.protocol.input import RunAgentInput
from gateway.protocol.records import OneOf, Record
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.shapes import Choice, Flag, Integer, OpenObject, Several, Shape, Text, TextOr

WORDS = ["constructor", "toString", "a/b", "~", "role", "op", "metadata", "wizard"]

texts = st.sampled_from(["", "x", "/a/b", "/~2"]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=4
)
scalars = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, -1, 2**53, 2**70, 12.0, 12.5])
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(WORDS) | texts, inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def records(draw: st.DrawFn, record: Record, tag: str | None) -> dict[str, Any]:
    """An object of a record: required members, some others, and now and then something wrong."""
    value = {record.tag: tag} if record.tag else {}
    for member in record.members:
        if draw(st.integers(0, 11)) < (11 if member.required else 4):
            value[member.name] = draw(like(member.shape))
    if draw(st.integers(0, 9)) == 0:
        value[draw(st.sampled_from(WORDS))] = draw(values)
    return value


def like(shape: Shape) -> st.SearchStrategy[Any]:
    """Values of a shape, mixed with some that are not."""
    right = _right(shape)
    return st.integers(0, 19).flatmap(lambda luck: values if luck == 0 else right)


def _right(shape: Shape) -> st.SearchStrategy[Any]:
    match shape:
        case Text(pointer=True):
            return st.sampled_from(["", "/a", "/a/0", "/~0~1"])
        case Text():
            return texts
        case Integer(low=low, high=high):
            return st.integers(low, high) | st.just(12.0)
        case Flag():
            return st.booleans()
        case Choice(values=choices):
            return st.sampled_from(choices)
        case OpenObject():
            return st.dictionaries(texts, values, max_size=2)
        case Several(item=item):
            return st.lists(like(item), max_size=2)
        case TextOr(items=items):
            return texts | like(items)
        case OneOf(arms=arms):
            return st.sampled_from([*arms, "unknown"]).flatmap(
                lambda tag: records(arms.get(tag, next(iter(arms.values()))), tag)
            )
        case Record():
            return records(shape, None)
    return values


events: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    sorted(SCHEMAS["1.1"].events.items())
).flatmap(lambda item: records(item[1], item[0]))

inputs: st.SearchStrategy[dict[str, Any]] = records(SCHEMAS["1.1"].records[RunAgentInput], None)
