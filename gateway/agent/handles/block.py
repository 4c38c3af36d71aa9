"""What all handles share: an id, an owner, and an end that happens once."""

from __future__ import annotations

from gateway.agent.handles.closing import Closing
from gateway.agent.sink import Sink
from gateway.protocol.base import UnsetType
from gateway.protocol.events import Event


class Block(Closing):
    """An open block; leaving its `with` statement ends it, whatever happened inside.

    `id` names it on the wire, `owner` is the subagent that it belongs to (UNSET for the agent).
    Ending twice does nothing, and so does ending after the run has ended or was cancelled, since
    the run then closes whatever is open.
    """

    __slots__ = ("_ended", "_stream", "id", "owner")

    def __init__(self, stream: Sink, id: str, owner: str | UnsetType) -> None:
        self._stream = stream
        self._ended = False
        self.id = id
        self.owner = owner

    @property
    def ended(self) -> bool:
        """True once the block has been ended through this handle."""
        return self._ended

    def end(self) -> None:
        """Emit what closes the block."""
        if self._ended:
            return
        self._ended = True
        if self._stream.stopped:
            return
        for event in self._closing():
            self._stream.emit(event)

    def _closing(self) -> list[Event]:
        raise NotImplementedError

    @property
    def _title(self) -> str:
        return f"block {self.id}"
