"""JSON Patch (RFC 6902): applying patches, and finding them.

A patch is applied to copies of the containers on its paths, so the given document never changes
and a failing patch leaves nothing behind. The PyPI library `jsonpatch` (1.48) was tried: it is
correct, but to keep the given document it copies all of it for each patch, so that a small delta
costs as much as the state is large (on 25 KB 90 times what it costs here), in place it leaves a
failed patch half applied, and finding a patch takes six times as long
(`bench/protocol/bench_json_patch.py`).
"""

from typing import Any

from msgspec import Struct

from gateway.errors import PatchError
from gateway.protocol.json_document import Document, EditError, parse_pointer
from gateway.protocol.patches import JsonPatch
from gateway.protocol.wire_order import to_wire

__all__ = ["apply_patch", "diff", "same"]


def apply_patch(document: Any, operations: JsonPatch) -> Any:
    """The document after all operations, applied in order.

    It shares with the given one what no operation touched, and holds the operations' values
    themselves. Raises PatchError naming the operation that could not be applied; nothing has
    changed then.
    """
    edited = Document(document)
    for index, operation in enumerate(operations):
        try:
            _apply(edited, _plain(operation))
        except (EditError, ValueError) as error:
            raise PatchError(index, str(error)) from None
        except RecursionError:
            raise PatchError(index, "the document is nested too deeply") from None
    return edited.root


def _plain(operation: Any) -> dict[str, Any]:
    plain = to_wire(operation) if isinstance(operation, Struct) else operation
    if not isinstance(plain, dict):
        raise EditError("an operation must be an object")
    return plain


def _apply(document: Document, operation: dict[str, Any]) -> None:
    op = _member(operation, "op")
    tokens = _tokens(operation, "path")
    if op == "add":
        document.add(tokens, _member(operation, "value"))
    elif op == "replace":
        document.replace(tokens, _member(operation, "value"))
    elif op == "remove":
        document.remove(tokens)
    elif op == "test":
        _test(document.get(tokens), _member(operation, "value"))
    elif op == "move":
        _move(document, _tokens(operation, "from"), tokens)
    elif op == "copy":
        value = document.get(_tokens(operation, "from"))
        document.share()
        document.place(tokens, value)
    else:
        raise EditError(f"unknown operation {op!r}")


def _member(operation: dict[str, Any], name: str) -> Any:
    if name not in operation:
        raise EditError(f"member {name!r} is missing")
    return operation[name]


def _tokens(operation: dict[str, Any], name: str) -> list[str]:
    pointer = _member(operation, name)
    if type(pointer) is not str:
        raise EditError(f"member {name!r} must be a JSON Pointer")
    return parse_pointer(pointer)


def _move(document: Document, source: list[str], target: list[str]) -> None:
    value = document.get(source)
    if source == target:
        return
    if source == target[: len(source)]:
        raise EditError("a value cannot be moved into itself")
    document.remove(source)
    document.place(target, value)


def _test(found: Any, expected: Any) -> None:
    if not _equal(found, expected):
        raise EditError("the test failed: another value stands there")


def _equal(a: Any, b: Any) -> bool:
    """Equality as RFC 6902 section 4.6 has it: numbers numerically, and never equal to booleans."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(key in b and _equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


def same(a: Any, b: Any) -> bool:
    """Whether two values have the same JSON text: 1, 1.0 and true are three different values."""
    if type(a) is not type(b):
        return False
    if type(a) is dict:
        return len(a) == len(b) and all(key in b and same(a[key], b[key]) for key in a)
    if type(a) is list:
        return len(a) == len(b) and all(map(same, a, b))
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
