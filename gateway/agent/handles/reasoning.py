"""An open reasoning span with its one message."""

from gateway.agent.handles.block import Block
from gateway.protocol.events import (
    Event,
    ReasoningEncryptedValue,
    ReasoningEnd,
    ReasoningMessageEnd,
)


class Reasoning(Block):
    """Streams reasoning; span and message share the id (spec: events/reasoning)."""

    __slots__ = ()

    def delta(self, text: str) -> None:
        """Append `text`; an empty one does nothing. Raises OrderingError after the end."""
        if text:
            self._stream.reasoning(self.id, text)

    def encrypted_value(self, value: str) -> None:
        """Attach an opaque value, which the client returns unmodified in later input."""
        self._stream.emit(
            ReasoningEncryptedValue("message", self.id, value, subagent_run_id=self.owner)
        )

    def _closing(self) -> list[Event]:
        return [
            ReasoningMessageEnd(self.id, subagent_run_id=self.owner),
            ReasoningEnd(self.id, subagent_run_id=self.owner),
        ]
