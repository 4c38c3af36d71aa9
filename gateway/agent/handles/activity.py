"""An activity: something shown to the user and never sent back to the agent."""

from __future__ import annotations

from typing import Any

from gateway.agent.sink import Sink
from gateway.errors import PatchError
from gateway.protocol.base import UnsetType
from gateway.protocol.events import ActivityDelta, ActivitySnapshot
from gateway.protocol.json_patch import apply_patch
from gateway.protocol.patches import JsonPatch
from gateway.protocol.values import decode_value, encode_value


class Activity:
    """Changes an activity after its first snapshot (spec: events/activity); it never ends.

    `id` is the id of its message, `owner` the subagent it belongs to (UNSET for the agent), `type`
    its activity type. Made by `activity(...)` of a context, step or subagent.
    """

    __slots__ = ("_content", "_stream", "id", "owner", "type")

    def __init__(
        self, stream: Sink, id: str, owner: str | UnsetType, type: str, content: dict[str, Any]
    ) -> None:
        self._stream = stream
        self.id = id
        self.owner = owner
        self.type = type
        self._content: Any = None
        self._show(content)

    def replace(self, content: dict[str, Any]) -> None:
        """Show `content` instead."""
        self._show(content)

    def patch(self, operations: JsonPatch) -> None:
        """Change the content by a JSON Patch (RFC 6902).

        Raises PatchError when it does not apply to what is shown, or would not leave an object;
        nothing is sent then.
        """
        changed = apply_patch(self._content, operations)
        if not isinstance(changed, dict):
            raise PatchError(len(operations) - 1, "the content of an activity must be an object")
        self._stream.emit(ActivityDelta(self.id, self.type, operations, subagent_run_id=self.owner))
        self._content = decode_value(encode_value(changed))

    def _show(self, content: dict[str, Any]) -> None:
        self._stream.emit(ActivitySnapshot(self.id, self.type, content, subagent_run_id=self.owner))
        self._content = decode_value(encode_value(content))
