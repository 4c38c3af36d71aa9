"""`ExpandChunks`: a stream without shorthand."""

from __future__ import annotations

from typing import Any

from gateway_native.chain import Transformer
from gateway_native.chunks import CHUNK, EFFECT_OF, ChunkExpander


class ExpandChunks(Transformer):
    """Turns *_CHUNK events into start, content and end, as every client would.

    Put it first where others should see whole blocks. It wants all kinds, since most of them end a
    shorthand.
    """

    def __init__(self) -> None:
        self._expander = ChunkExpander()

    def transform(self, event: Any) -> Any:
        """The event, with the ends before it that it implies, or what a chunk stands for."""
        kind: int = event.kind
        if EFFECT_OF[kind] != CHUNK and not self._expander.lanes:
            return event
        out = self._expander.feed(event)
        return event if len(out) == 1 and out[0] is event else out
