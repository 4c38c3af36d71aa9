"""Content events, which are nearly all of a stream: their members, and the short way for them."""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING

ID: Final = 0
DELTA: Final = 1
TIMESTAMP: Final = 2
RAW_EVENT: Final = 3
METADATA: Final = 4
TAG: Final = 5
"""Places of the members of a content event."""


class LastContent:
    """The last event of a stream, if it was a content event, for comparing the next one with it.

    A content event that differs in its delta alone is as lawful as the one before.
    """

    def __init__(self) -> None:
        self.cls: Any = None
        """The class of the event, None if it was of another kind."""
        self.id: Any = None
        self.tag: Any = None

    def set(self, event: Any, kind: int) -> None:
        fields: tuple[Any, ...] = BINDING.astuple(event)
        self.cls = BINDING.classes[kind]
        self.id = fields[ID]
        self.tag = fields[TAG]

    def clear(self) -> None:
        self.cls = None

    def is_continued_by(self, event: Any) -> bool:
        """True for a well-formed event of the same kind, id and tag.

        One call for all members costs less than reading three of them one by one.
        """
        if type(event) is not self.cls:
            return False
        fields: tuple[Any, ...] = BINDING.astuple(event)
        if not is_plain(fields):
            return False
        id: Any = fields[ID]
        tag: Any = fields[TAG]
        return (id is self.id or id == self.id) and (tag is self.tag or tag == self.tag)


def is_plain(fields: tuple[Any, ...]) -> bool:
    """Whether a content event is nothing but an id, a delta and perhaps a tag, all of them text."""
    unset: Any = BINDING.unset
    return (
        type(fields[ID]) is str
        and type(fields[DELTA]) is str
        and fields[TIMESTAMP] is unset
        and fields[RAW_EVENT] is unset
        and fields[METADATA] is unset
        and (fields[TAG] is unset or type(fields[TAG]) is str)
    )
