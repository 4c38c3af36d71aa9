"""What every protocol type shares: camelCase on the wire, frozen, absent members never written.

Absent and null are different things. An optional member that is absent holds `UNSET` and is not
written; null (`None`) is a value, legal only where the protocol says so: state, custom value, raw
event, patch value, and anything inside open JSON (spec: `docs/spec/1.1/basic/index.mdx`).
"""

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = ["UNSET", "Count", "Metadata", "Present", "Timestamp", "UnsetType", "Wire", "merged"]

MAX_SAFE_INTEGER = 2**53 - 1

Timestamp: TypeAlias = Annotated[int, Meta(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]
"""Milliseconds since the epoch by convention; an integer within ±(2^53−1)."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]
"""A number of tokens or a limit; an integer within 0…2^53−1."""

Metadata: TypeAlias = dict[str, Any]
"""Open object; null under a key is data. The key `ag-ui` is reserved for the protocol."""


def merged(old: Metadata | UnsetType, new: Metadata | UnsetType) -> Metadata | UnsetType:
    """Metadata merges key by key, the last write wins, and never deeper than that.

    Neither argument changes (spec: `docs/spec/1.1/basic/metadata.mdx`).
    """
    if new is UNSET:
        return old
    return dict(new) if old is UNSET else {**old, **new}


if TYPE_CHECKING:
    Present: TypeAlias = Any
else:
    Present = bool | int | float | str | list[Any] | dict[str, Any]
"""Any JSON value but null, which decoding refuses."""


class Wire(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of all types below the event: members are camelCase on the wire.

    Plain msgspec decoding refuses members that are not declared, so that nothing is dropped without
    a word; `gateway.protocol.enforcement` strips them with a notice.
    """
