"""An activity: something shown to the user and never sent back to the agent."""

from __future__ import annotations

from typing import Any

from gateway.protocol.base import UnsetType
from gateway.protocol.events import ActivityDelta, ActivitySnapshot
from gateway.protocol.patches import JsonPatch
from gateway_native.stream import RunStream


class Activity:
    """Changes an activity after its first snapshot (spec: events/activity); it never ends."""

    __slots__ = ("_stream", "id", "owner", "type")

    def __init__(self, stream: RunStream, id: str, owner: str | UnsetType, type: str) -> None:
        self._stream = stream
        self.id = id
        self.owner = owner
        self.type = type

    def replace(self, content: dict[str, Any]) -> None:
        """Show `content` instead."""
        self._stream.emit(ActivitySnapshot(self.id, self.type, content, subagent_run_id=self.owner))

    def patch(self, operations: JsonPatch) -> None:
        """Change the content by a JSON Patch."""
        self._stream.emit(ActivityDelta(self.id, self.type, operations, subagent_run_id=self.owner))
