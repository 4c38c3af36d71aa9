"""Holds deltas back until one of them can be seen, so that a failed attempt leaves no trace."""

from gateway.llm.model import Delta, Started, UsageDelta

INVISIBLE = (Started, UsageDelta)


class Gate:
    """The deltas of one attempt; a gate for the `whole` answer stays closed until its end."""

    def __init__(self, whole: bool) -> None:
        self.is_open = False
        self._whole = whole
        self._held: list[Delta] = []

    def take(self, deltas: list[Delta]) -> list[Delta]:
        """What may go out after these deltas."""
        if self.is_open:
            return deltas
        self._held += deltas
        if self._whole or all(type(delta) in INVISIBLE for delta in deltas):
            return []
        return self.open()

    def open(self) -> list[Delta]:
        """What was held back; from now on everything passes."""
        self.is_open = True
        held, self._held = self._held, []
        return held
