"""The events of a context that has no run, for tests of agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from gateway.agent.output import Output
from gateway.protocol.events import Event


class Recording(Sequence[Event]):
    """What was emitted so far, oldest first; it grows with each emission."""

    def __init__(self, output: Output) -> None:
        output.begin()
        output.take_events()
        self._output = output
        self._events: list[Event] = []

    def _all(self) -> list[Event]:
        self._events += self._output.take_events()
        return self._events

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())
