"""A JSON document under edit, addressed by JSON Pointers (RFC 6901).

Edits go to copies: a container is copied when it is changed for the first time, and from then on
changed in place. So the given document stays as it was, an edit costs as much as the containers on
its path, and a thousand edits of one large array copy it once.
"""

import re
import sys
from itertools import pairwise
from typing import Any, Final

__all__ = ["Document", "EditError", "parse_pointer"]

_POINTER: Final = re.compile(r"(?:/(?:[^/~]|~[01])*)*", re.DOTALL)


class EditError(Exception):
    """Why an edit cannot be made."""


def parse_pointer(pointer: str) -> list[str]:
    """The tokens of a JSON Pointer, unescaped; raises ValueError if it is none."""
    if not pointer:
        return []
    if not _POINTER.fullmatch(pointer):
        raise ValueError(
            f"{pointer!r} is no JSON Pointer: it must be empty or begin with '/', "
            "and '~' stands before 0 or 1 only"
        )
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


class Document:
    """`root` is the document as edited so far.

    Edits take the tokens of a pointer, of which none is the whole document, and raise EditError if
    they cannot be made; `root` is of no use then.
    """

    __slots__ = ("_copies", "root")

    def __init__(self, root: Any) -> None:
        self.root = root
        self._copies: dict[int, Any] = {}
        """Containers that only this document holds, by identity."""

    def get(self, tokens: list[str]) -> Any:
        """The value at a place."""
        node = self.root
        for token in tokens:
            node = _child(node, token)
        return node

    def add(self, tokens: list[str], value: Any) -> None:
        """Set a member or the whole document, or insert an element; "-" is behind the last."""
        self._put(tokens, value, None)

    def place(self, tokens: list[str], value: Any) -> None:
        """Like `add`, but an index past the end of an array appends.

        The official client bounds the index of `add` alone, and what we hold must equal what it
        holds.
        """
        self._put(tokens, value, sys.maxsize)

    def replace(self, tokens: list[str], value: Any) -> None:
        """Set what must be there already."""
        if not tokens:
            self.root = value
            return
        node = self._parent(tokens)
        _child(node, tokens[-1])
        node[_key(node, tokens[-1])] = value

    def remove(self, tokens: list[str]) -> None:
        """Remove what must be there; the whole document becomes null."""
        if not tokens:
            self.root = None
            return
        node = self._parent(tokens)
        _child(node, tokens[-1])
        del node[_key(node, tokens[-1])]

    def share(self) -> None:
        """Forget which containers are copies, as one is about to stand in a second place."""
        self._copies.clear()

    def _put(self, tokens: list[str], value: Any, last: int | None) -> None:
        if not tokens:
            self.root = value
            return
        node = self._parent(tokens)
        token = tokens[-1]
        if isinstance(node, dict):
            node[token] = value
        elif token == "-":
            node.append(value)
        else:
            node.insert(_index(token, len(node) if last is None else last), value)

    def _parent(self, tokens: list[str]) -> Any:
        """The container that the last token points into, a copy as all on the way to it."""
        node = self.root = self._copy_of(self.root, tokens[0])
        for token, following in pairwise(tokens):
            child = _child(node, token)
            copy = self._copy_of(child, following)
            if copy is not child:
                node[_key(node, token)] = copy
            node = copy
        return node

    def _copy_of(self, node: Any, token: str) -> Any:
        if id(node) in self._copies:
            return node
        if not isinstance(node, dict | list):
            raise EditError(f"{token!r} points into a value that is no object or array")
        copy = node.copy()
        self._copies[id(copy)] = copy
        return copy


def _child(node: Any, token: str) -> Any:
    if isinstance(node, dict):
        if token not in node:
            raise EditError(f"there is no member {token!r}")
        return node[token]
    if isinstance(node, list):
        return node[_index(token, len(node) - 1)]
    raise EditError(f"{token!r} points into a value that is no object or array")


def _key(node: Any, token: str) -> str | int:
    """The token as Python indexes the container; it is known to be there."""
    return token if isinstance(node, dict) else int(token)


def _index(token: str, last: int) -> int:
    if not (token.isascii() and token.isdigit()) or (token[0] == "0" and len(token) > 1):
        raise EditError(f"{token!r} is no array index")
    index = int(token) if len(token) < 19 else sys.maxsize
    if index > last:
        raise EditError(f"array index {token} is out of bounds")
    return index
