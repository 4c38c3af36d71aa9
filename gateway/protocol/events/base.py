"""The envelope that all events share (spec: `docs/spec/1.1/basic/index.mdx`)."""

from typing import ClassVar

from msgspec import Struct

from gateway.protocol.base import UNSET, Metadata, Present, Timestamp, UnsetType


class Event(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """One event; its class says which. The envelope is keyword-only and written last.

    `type` is the wire name and `kind` the small integer of `gateway_native.kinds`; both belong to
    the class. `timestamp` never orders events, `raw_event` is any JSON value but null.
    """

    type: ClassVar[str]
    kind: ClassVar[int]
    timestamp: Timestamp | UnsetType = UNSET
    raw_event: Present | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class Attributable(Event, frozen=True, kw_only=True):
    """An event that a subagent may have caused; untagged events belong to the parent agent."""

    subagent_run_id: str | UnsetType = UNSET
