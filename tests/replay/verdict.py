"""What a rule says of one row: `None` passed, `NOT_APPLICABLE`, or the first difference."""

from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
Verdict: TypeAlias = str | None

NOT_APPLICABLE = "<n/a>"


def difference(ours: object, theirs: object, at: str = "") -> Verdict:
    """The first place where two JSON values differ, as a pointer and both values.

    Numbers compare as numbers (1 equals 1.0) but never equal booleans.
    """
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *(k for k in theirs if k not in ours)]:
            if key not in ours or key not in theirs:
                where = "theirs" if key in theirs else "ours"
                return f"{at}/{key}: only in {where}"
            if found := difference(ours[key], theirs[key], f"{at}/{key}"):
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list):
        for index, (a, b) in enumerate(zip(ours, theirs, strict=False)):
            if found := difference(a, b, f"{at}/{index}"):
                return found
        return None if len(ours) == len(theirs) else f"{at}: {len(ours)} != {len(theirs)} elements"
    if isinstance(ours, bool) != isinstance(theirs, bool) or ours != theirs:
        return f"{at or '/'}: ours {ours!r:.200} != {theirs!r:.200}"
    return None
