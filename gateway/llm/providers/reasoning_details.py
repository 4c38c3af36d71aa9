"""`reasoning_details` of OpenRouter: pieces of reasoning that go back unchanged and in order."""

from collections.abc import Iterable
from typing import Any


def merge_details(
    merged: list[dict[str, Any]], pieces: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Append pieces to what there is: by index and type, text grows and other members win if set.

    A piece without an index continues the last entry if that has its type.
    """
    for piece in pieces:
        entry = _entry_of(merged, piece)
        if entry is None:
            merged.append(dict(piece))
            continue
        for key, value in piece.items():
            if key in ("text", "summary") and isinstance(value, str):
                entry[key] = (entry.get(key) or "") + value
            elif value is not None:
                entry[key] = value
    return merged


def _entry_of(merged: list[dict[str, Any]], piece: dict[str, Any]) -> dict[str, Any] | None:
    kind, index = piece.get("type"), piece.get("index")
    if kind == "reasoning.encrypted":
        return None
    if index is None:
        last = merged[-1] if merged else {}
        return last if last.get("type") == kind and last.get("index") is None else None
    same = (e for e in reversed(merged) if e.get("index") == index and e.get("type") == kind)
    return next(same, None)


def visible_text(details: Iterable[dict[str, Any]]) -> str:
    """The text that people may read."""
    found = (detail.get("text") or detail.get("summary") for detail in details)
    return "".join(text for text in found if isinstance(text, str))
