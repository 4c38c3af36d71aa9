"""The order of the parts of a turn, for APIs that want their own parts back where they stood.

A layout is a list: an integer for so many characters of the turn's text, a string for the call of
that id, and anything else is a part of the provider, kept as it came.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from gateway.protocol.messages import ToolCall

Layout: TypeAlias = list[Any]
Placed: TypeAlias = str | ToolCall | dict[str, Any]
"""Text, a call, or a part of the provider."""


def place(layout: Any, text: str, calls: list[ToolCall]) -> Iterator[Placed]:
    """The parts of a turn in their order.

    The visible history wins: text and calls that the layout does not know come at the end, those
    that it knows but the turn has no more are left out.
    """
    by_id = {call.id: call for call in calls}
    start = 0
    for part in layout if isinstance(layout, list) else ():
        if isinstance(part, int) and part > 0:
            piece, start = text[start : start + part], start + part
            if piece:
                yield piece
        elif isinstance(part, str):
            if call := by_id.pop(part, None):
                yield call
        elif isinstance(part, dict):
            yield part
    if text[start:]:
        yield text[start:]
    yield from by_id.values()


def has_parts(layout: Layout) -> bool:
    """The layout holds something besides text and calls."""
    return any(isinstance(part, dict) for part in layout)
