"""Operations of a JSON Patch (RFC 6902; spec: `docs/spec/1.1/basic/patterns/snapshots.mdx`).

Operations are open objects: members that RFC 6902 does not define are legal and kept. A patch that
came over the wire therefore holds plain dicts; authors may also write these Structs.
"""

from typing import Any, TypeAlias

from gateway.protocol.base import Wire


class Operation(Wire, frozen=True, tag_field="op", forbid_unknown_fields=False):
    """`path` is a JSON Pointer (RFC 6901); "" is the whole document."""


class AddOperation(Operation, frozen=True, tag="add"):
    path: str
    value: Any


class RemoveOperation(Operation, frozen=True, gc=False, tag="remove"):
    path: str


class ReplaceOperation(Operation, frozen=True, tag="replace"):
    path: str
    value: Any


class MoveOperation(Operation, frozen=True, gc=False, tag="move", rename={"from_path": "from"}):
    from_path: str
    path: str


class CopyOperation(Operation, frozen=True, gc=False, tag="copy", rename={"from_path": "from"}):
    from_path: str
    path: str


class TestOperation(Operation, frozen=True, tag="test"):
    __test__ = False

    path: str
    value: Any


PatchOperation: TypeAlias = (
    AddOperation
    | RemoveOperation
    | ReplaceOperation
    | MoveOperation
    | CopyOperation
    | TestOperation
)

JsonPatch: TypeAlias = list[Any]
"""A list of operations, each a plain dict (open object) or one of the Structs above."""
