"""Edits of a JSON document at places that pointers name."""

from typing import Any

import pytest

from gateway.protocol.json_document import Document, EditError, parse_pointer


@pytest.mark.parametrize(
    ("pointer", "tokens"),
    [
        ("", []),
        ("/", [""]),
        ("/a/b", ["a", "b"]),
        ("/~01/a~1b/", ["~1", "a/b", ""]),
        ("/\n", ["\n"]),
    ],
)
def test_pointers_are_unescaped_once(pointer: str, tokens: list[str]) -> None:
    assert parse_pointer(pointer) == tokens


@pytest.mark.parametrize("pointer", ["a", "#/a", " /a", "/a~", "/~2"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="no JSON Pointer"):
        parse_pointer(pointer)


def test_a_container_is_copied_once_and_the_given_one_stays() -> None:
    given: dict[str, Any] = {"list": [], "other": {"x": 1}}
    document = Document(given)
    document.add(["list", "-"], 1)
    copied = document.root["list"]
    for number in range(2, 5):
        document.add(["list", "-"], number)
    assert document.root["list"] is copied
    assert copied == [1, 2, 3, 4]
    assert document.root["other"] is given["other"]
    assert given == {"list": [], "other": {"x": 1}}


def test_a_value_that_stands_twice_is_edited_once() -> None:
    document = Document({"a": {}})
    document.add(["a", "x"], 1)
    document.share()
    document.add(["b"], document.get(["a"]))
    document.add(["b", "y"], 2)
    document.add(["a", "z"], 3)
    assert document.root == {"a": {"x": 1, "z": 3}, "b": {"x": 1, "y": 2}}


def test_a_value_that_was_put_in_is_not_edited() -> None:
    value: dict[str, Any] = {}
    document = Document({})
    document.add(["a"], value)
    document.add(["a", "b"], 1)
    assert value == {}
    assert document.root == {"a": {"b": 1}}


@pytest.mark.parametrize("token", ["01", "-1", "+1", "1.0", "1e0", " 1", "", "٠", "a"])
def test_an_array_index_is_digits_without_leading_zeros(token: str) -> None:
    with pytest.raises(EditError, match="no array index"):
        Document([1, 2]).replace([token], 0)


@pytest.mark.parametrize("token", ["2", "9" * 18, "9" * 19, "9" * 5000])
def test_an_array_index_stays_within_the_array(token: str) -> None:
    with pytest.raises(EditError, match="out of bounds"):
        Document([1, 2]).remove([token])


@pytest.mark.parametrize("root", [None, 1, "text", True])
def test_a_value_without_members_has_no_places(root: Any) -> None:
    with pytest.raises(EditError, match="no object or array"):
        Document(root).add(["0"], 1)
    with pytest.raises(EditError, match="no object or array"):
        Document(root).get(["0"])
