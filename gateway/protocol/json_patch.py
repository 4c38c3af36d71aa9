"""JSON Patch (RFC 6902) and JSON Pointer (RFC 6901): applying patches, and finding them.

A patch is applied to copies of the containers on its paths, so the given document never changes
and a failing patch leaves nothing behind. The PyPI library `jsonpatch` (1.48) was tried: it is
correct, but to keep the given document it copies all of it for each patch, so that a small delta
costs as much as the state is large (on 25 KB 90 times what it costs here), in place it leaves a
failed patch half applied, and finding a patch takes six times as long
(`bench/protocol/bench_json_patch.py`).
"""

import sys
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from gateway.errors import PatchError
from gateway.protocol.patches import JsonPatch
from gateway.protocol.wire_order import to_wire

__all__ = ["apply_patch", "diff", "parse_pointer", "same"]

Edit = Callable[[Any, str | None], Any]
"""Changes a container at its last token (None: the document itself); returns what replaces it."""


def apply_patch(document: Any, operations: JsonPatch) -> Any:
    """The document after all operations, applied in order.

    Raises PatchError naming the operation that could not be applied; nothing has changed then.
    """
    for index, operation in enumerate(operations):
        try:
            document = _apply(document, _plain(operation))
        except _Failure as failure:
            raise PatchError(index, str(failure)) from None
        except RecursionError:
            raise PatchError(index, "the document is nested too deeply") from None
    return document


def parse_pointer(pointer: str) -> list[str]:
    """The tokens of a JSON Pointer, unescaped; raises ValueError if it is none."""
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer: it must be empty or begin with '/'")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def same(a: Any, b: Any) -> bool:
    """Whether two values have the same JSON text: 1, 1.0 and true are three different values."""
    if type(a) is not type(b):
        return False
    if type(a) is dict:
        return len(a) == len(b) and all(key in b and same(a[key], b[key]) for key in a)
    if type(a) is list:
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


class _Failure(Exception):
    """Why an operation cannot be applied."""


def _plain(operation: Any) -> dict[str, Any]:
    plain: dict[str, Any] = to_wire(operation) if isinstance(operation, Struct) else operation
    return plain


def _apply(document: Any, operation: dict[str, Any]) -> Any:
    try:
        op = operation["op"]
        tokens = parse_pointer(operation["path"])
        if op == "add":
            return _edit(document, tokens, _adding(operation["value"]))
        if op == "replace":
            return _edit(document, tokens, _replacing(operation["value"]))
        if op == "remove":
            return _edit(document, tokens, _removing)
        if op == "test":
            return _test(document, tokens, operation["value"])
        if op in ("move", "copy"):
            return _transfer(document, parse_pointer(operation["from"]), tokens, op == "move")
    except KeyError as missing:
        raise _Failure(f"member {missing} is missing") from None
    except ValueError as error:
        raise _Failure(str(error)) from None
    raise _Failure(f"unknown operation {op!r}")


def _edit(node: Any, tokens: list[str], edit: Edit, depth: int = 0) -> Any:
    """A copy of `node` in which `edit` has changed what the tokens point to."""
    if depth >= len(tokens) - 1:
        return edit(node, tokens[-1] if tokens else None)
    token = tokens[depth]
    child = _child(node, token)
    if isinstance(node, dict):
        return {**node, token: _edit(child, tokens, edit, depth + 1)}
    index = _index(token, len(node) - 1)
    return [*node[:index], _edit(child, tokens, edit, depth + 1), *node[index + 1 :]]


def _child(node: Any, token: str) -> Any:
    if isinstance(node, dict):
        if token not in node:
            raise _Failure(f"there is no member {token!r}")
        return node[token]
    if isinstance(node, list):
        return node[_index(token, len(node) - 1)]
    raise _Failure(f"{token!r} points into a value that is no object or array")


def _index(token: str, last: int) -> int:
    if not (token.isascii() and token.isdigit()) or (token[0] == "0" and len(token) > 1):
        raise _Failure(f"{token!r} is no array index")
    index = int(token) if len(token) < 20 else last + 1
    if index > last:
        raise _Failure(f"array index {token} is out of bounds")
    return index


def _adding(value: Any) -> Edit:
    def add(node: Any, token: str | None) -> Any:
        if token is None:
            return value
        if isinstance(node, dict):
            return {**node, token: value}
        if isinstance(node, list):
            index = len(node) if token == "-" else _index(token, len(node))
            return [*node[:index], value, *node[index:]]
        raise _Failure(f"cannot add {token!r} to a value that is no object or array")

    return add


def _placing(value: Any) -> Edit:
    """Like adding, but past the end of an array it appends.

    The official client bounds the index of `add` alone, and what we hold must equal what it holds.
    """

    def place(node: Any, token: str | None) -> Any:
        if isinstance(node, list) and token is not None and token != "-":
            index = _index(token, sys.maxsize)
            return [*node[:index], value, *node[index:]]
        return _adding(value)(node, token)

    return place


def _replacing(value: Any) -> Edit:
    def replace(node: Any, token: str | None) -> Any:
        if token is None:
            return value
        _child(node, token)
        if isinstance(node, dict):
            return {**node, token: value}
        index = int(token)
        return [*node[:index], value, *node[index + 1 :]]

    return replace


def _removing(node: Any, token: str | None) -> Any:
    if token is None:
        return None
    _child(node, token)
    if isinstance(node, dict):
        return {key: member for key, member in node.items() if key != token}
    index = int(token)
    return [*node[:index], *node[index + 1 :]]


def _test(document: Any, tokens: list[str], expected: Any) -> Any:
    if not _equal(_get(document, tokens), expected):
        raise _Failure("the test failed: another value stands there")
    return document


def _transfer(document: Any, source: list[str], target: list[str], move: bool) -> Any:
    value = _get(document, source)
    if move:
        if source == target[: len(source)] and len(target) > len(source):
            raise _Failure("a value cannot be moved into itself")
        if source == target:
            return document
        document = _edit(document, source, _removing)
    return _edit(document, target, _placing(value))


def _get(node: Any, tokens: list[str]) -> Any:
    for token in tokens:
        node = _child(node, token)
    return node


def _equal(a: Any, b: Any) -> bool:
    """Equality as RFC 6902 section 4.6 has it: numbers numerically, and never equal to booleans."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(key in b and _equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


def diff(old: Any, new: Any) -> list[dict[str, Any]]:
    """A patch that turns `old` into exactly `new`; empty if they are the same.

    Objects are compared member by member, arrays after their common beginning and end; operations
    are add, remove and replace.
    """
    operations: list[dict[str, Any]] = []
    _diff(old, new, "", operations)
    return operations


def _diff(old: Any, new: Any, path: str, out: list[dict[str, Any]]) -> None:
    if type(old) is dict and type(new) is dict:
        _diff_objects(old, new, path, out)
    elif type(old) is list and type(new) is list:
        _diff_arrays(old, new, path, out)
    elif not same(old, new):
        out.append({"op": "replace", "path": path, "value": new})


def _diff_objects(
    old: dict[str, Any], new: dict[str, Any], path: str, out: list[dict[str, Any]]
) -> None:
    for key, value in new.items():
        at = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
        if key in old:
            _diff(old[key], value, at, out)
        else:
            out.append({"op": "add", "path": at, "value": value})
    for key in old:
        if key not in new:
            at = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            out.append({"op": "remove", "path": at})


def _diff_arrays(old: list[Any], new: list[Any], path: str, out: list[dict[str, Any]]) -> None:
    start = 0
    shorter = min(len(old), len(new))
    if len(old) != len(new):
        while start < shorter and same(old[start], new[start]):
            start += 1
    end = 0
    while len(old) != len(new) and end < shorter - start and same(old[~end], new[~end]):
        end += 1
    common = shorter - start - end
    for index in range(start, start + common):
        _diff(old[index], new[index], f"{path}/{index}", out)
    for _ in range(len(old) - end - start - common):
        out.append({"op": "remove", "path": f"{path}/{start + common}"})
    for index in range(start + common, len(new) - end):
        out.append({"op": "add", "path": f"{path}/{index}", "value": new[index]})
