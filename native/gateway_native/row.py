"""The row of deltas that is being written: one block's, and nothing else in between.

What is in a row was judged when the row began: an event that adds nothing but text to the same
block is as good as its text.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.kinds import TEXT_MESSAGE_CONTENT

NO_ID: Final = "".join(["no", " id"])
"""Never the same object as an id of a caller."""

NO_KIND: Final = -1


class Row:
    """The kind and id of the block whose deltas are being written, if any."""

    def __init__(self) -> None:
        self.kind = NO_KIND
        self.id = NO_ID
        self.text_id = NO_ID
        """The id, if it is a text message's."""

    def begin(self, kind: int, id: str) -> None:
        """From now on, deltas belong to that block."""
        self.kind = kind
        self.id = id
        self.text_id = id if kind == TEXT_MESSAGE_CONTENT else NO_ID

    def leave(self) -> None:
        """Something else comes."""
        self.kind = NO_KIND
        self.id = NO_ID
        self.text_id = NO_ID

    def holds(self, kind: int, id: str) -> bool:
        """Whether the row is that block's."""
        return kind == self.kind and (id is self.id or id == self.id)


def delta_of(event: Any, id: str) -> str | None:
    """The delta of a content event of block `id` that has no other member, else None.

    One call for all members costs less than reading three of them one by one.
    """
    members: tuple[Any, ...] = BINDING.astuple(event)
    unset: Any = BINDING.unset
    found: Any = members[0]
    delta: Any = members[1]
    if (
        (found is id or (type(found) is str and found == id))
        and type(delta) is str
        and members[2] is unset
        and members[3] is unset
        and members[4] is unset
        and members[5] is unset
    ):
        text: str = delta
        return text
    return None
