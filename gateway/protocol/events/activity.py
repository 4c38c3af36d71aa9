"""Activity messages (spec: `docs/spec/1.1/events/activity.mdx`)."""

from typing import Any

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events.base import Attributable
from gateway.protocol.patches import JsonPatch


class ActivitySnapshot(Attributable, frozen=True, tag="ACTIVITY_SNAPSHOT"):
    """Creates or replaces an activity; `replace=False` leaves an existing one alone."""

    message_id: str
    activity_type: str
    content: dict[str, Any]
    replace: bool | UnsetType = UNSET


class ActivityDelta(Attributable, frozen=True, tag="ACTIVITY_DELTA"):
    """Changes the content of an activity by a JSON Patch."""

    message_id: str
    activity_type: str
    patch: JsonPatch
