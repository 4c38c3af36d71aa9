"""An open text message."""

from gateway.agent.handles.block import Block
from gateway.protocol.events import Event, TextMessageEnd


class TextMessage(Block):
    """Streams text: `delta` appends, `end` closes (spec: events/text-messages)."""

    __slots__ = ()

    def delta(self, text: str) -> None:
        """Append `text`; an empty one does nothing. Raises OrderingError after the end."""
        if text:
            self._stream.text(self.id, text)

    def _closing(self) -> list[Event]:
        return [TextMessageEnd(self.id, subagent_run_id=self.owner)]
