"""JSON Patch: RFC 6902 and 6901, and finding patches."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import PatchError
from gateway.protocol import AddOperation, MoveOperation
from gateway.protocol.json_patch import apply_patch, diff, parse_pointer, same

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, 1.0, 1.5]),
    st.sampled_from(["", "a", "é"]),
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["", "a", "b", "~", "/", "0", "é"]), inner, max_size=4),
    ),
    max_leaves=12,
)

APPLIED: list[tuple[Any, list[dict[str, Any]], Any]] = [
    ({"a": 1}, [{"op": "add", "path": "/b", "value": None}], {"a": 1, "b": None}),
    ([1, 3], [{"op": "add", "path": "/1", "value": 2}], [1, 2, 3]),
    ([1], [{"op": "add", "path": "/-", "value": 2}], [1, 2]),
    ({"a": 1}, [{"op": "add", "path": "", "value": [1]}], [1]),
    ({"a/b": {"~": 1}}, [{"op": "replace", "path": "/a~1b/~0", "value": 2}], {"a/b": {"~": 2}}),
    ({"": {"": 1}}, [{"op": "remove", "path": "//"}], {"": {}}),
    ([1, 2, 3], [{"op": "remove", "path": "/1"}], [1, 3]),
    ({"a": 1, "b": {}}, [{"op": "move", "from": "/a", "path": "/b/c"}], {"b": {"c": 1}}),
    ([1, 2, 3], [{"op": "move", "from": "/0", "path": "/2"}], [2, 3, 1]),
    ({"a": [1]}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": [1], "b": [1]}),
    ({"a": 1}, [{"op": "test", "path": "/a", "value": 1.0}], {"a": 1}),
    ({"a": 1}, [{"op": "test", "path": "/a", "value": 1, "extra": [2]}], {"a": 1}),
]

REFUSED: list[tuple[Any, dict[str, Any]]] = [
    ({}, {"op": "replace", "path": "/a", "value": 1}),
    ({}, {"op": "remove", "path": "/a"}),
    ({}, {"op": "add", "path": "/a/b", "value": 1}),
    ({}, {"op": "add", "path": "a", "value": 1}),
    ({}, {"op": "add", "path": "/a"}),
    ({}, {"path": "/a", "value": 1}),
    ({"a": 1}, {"op": "add", "path": "/a/b", "value": 1}),
    ([1], {"op": "add", "path": "/2", "value": 1}),
    ([1], {"op": "add", "path": "/01", "value": 1}),
    ([1], {"op": "remove", "path": "/-"}),
    ([1], {"op": "replace", "path": "/1", "value": 1}),
    ([1], {"op": "remove", "path": "/" + "9" * 400}),
    ([1], {"op": "remove", "path": "/٠"}),
    ({"a": {"b": 1}}, {"op": "move", "from": "/a", "path": "/a/b/c"}),
    ({"a": 1}, {"op": "test", "path": "/a", "value": True}),
    ({"a": 1}, {"op": "test", "path": "/a", "value": "1"}),
    ({"a": 1}, {"op": "increment", "path": "/a", "value": 1}),
]


@pytest.mark.parametrize(("document", "patch", "expected"), APPLIED)
def test_a_patch_applies(document: Any, patch: list[dict[str, Any]], expected: Any) -> None:
    assert same(apply_patch(document, patch), expected)


@pytest.mark.parametrize(("document", "operation"), REFUSED)
def test_what_cannot_be_applied_names_its_operation_and_changes_nothing(
    document: Any, operation: dict[str, Any]
) -> None:
    before = copy.deepcopy(document)
    fine = {"op": "test", "path": "", "value": document}
    with pytest.raises(PatchError) as caught:
        apply_patch(document, [fine, operation])
    assert caught.value.index == 1
    assert same(document, before)


def test_operations_may_be_structs() -> None:
    patch = [AddOperation("/b", 2), MoveOperation("/b", "/c")]
    assert apply_patch({"a": 1}, patch) == {"a": 1, "c": 2}


def test_values_that_json_tells_apart_are_three() -> None:
    assert not same(1, 1.0)
    assert not same(1, True)
    assert not same([0], [False])
    assert same({"a": [1, None]}, {"a": [1, None]})


def test_pointers_are_unescaped_once() -> None:
    assert parse_pointer("/~01/a~1b/") == ["~1", "a/b", ""]
    with pytest.raises(ValueError, match="no JSON Pointer"):
        parse_pointer("a")


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"list": [1, 2, 3, 4]}, {"list": [1]}, [{"op": "remove", "path": "/list/1"}] * 3),
        ([2, 3], [1, 2, 3], [{"op": "add", "path": "/0", "value": 1}]),
        ({"a": 1}, {"a": 1.0}, [{"op": "replace", "path": "/a", "value": 1.0}]),
        ({"a": 0}, {"a": False}, [{"op": "replace", "path": "/a", "value": False}]),
        (
            {"step": 1, "notes": "n"},
            {"step": 2, "notes": "n"},
            [{"op": "replace", "path": "/step", "value": 2}],
        ),
    ],
)
def test_a_difference_is_found_where_it_is(old: Any, new: Any, patch: list[Any]) -> None:
    assert diff(old, new) == patch


@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_leads_to_exactly_the_new_value(old: Any, new: Any) -> None:
    before = json.dumps(old)
    patch = diff(old, new)
    assert same(apply_patch(old, patch), new)
    assert json.dumps(old) == before
    assert bool(patch) != same(old, new)


@given(
    DOCUMENTS,
    st.lists(
        st.dictionaries(
            st.sampled_from(["op", "path", "from", "value"]),
            st.one_of(
                st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
                st.sampled_from(["", "/", "/a", "/a/0", "/-", "/0", "/0/a", "/~1"]),
            ),
        ),
        max_size=3,
    ),
)
def test_any_patch_applies_whole_or_not_at_all(document: Any, patch: list[Any]) -> None:
    before = json.dumps(document)
    try:
        apply_patch(document, patch)
    except PatchError as error:
        assert 0 <= error.index < len(patch)
    assert json.dumps(document) == before
