"""What the server process and its workers tell each other, in a few bytes of shared memory.

granian sends a worker the same SIGTERM whether the server goes down or a reload has replaced the
worker. So the server writes down which it is before it sends one. A SIGTERM that comes from
somewhere else, such as an init system that signals every process, finds nothing written and means
the end, too.
"""

from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any, Final

_GENERATION: Final = 0
_STOPPING: Final = 1

GRACE: Final = 1
HURRY: Final = 2
LEAVE: Final = 3


class Lifeline:
    """Shared by the server and all its workers; the server alone writes."""

    def __init__(self) -> None:
        self._numbers: Any = RawArray("i", 2)

    @property
    def generation(self) -> int:
        """How many reloads there have been."""
        return int(self._numbers[_GENERATION])

    @property
    def stopping(self) -> bool:
        """Whether the server goes down."""
        return bool(self._numbers[_STOPPING])

    @property
    def hurrying(self) -> bool:
        """Whether it goes down without giving runs time."""
        return int(self._numbers[_STOPPING]) == HURRY

    @property
    def leaving(self) -> bool:
        """Whether all workers have drained, so that none needs to answer any longer."""
        return int(self._numbers[_STOPPING]) == LEAVE

    def reload(self) -> None:
        """Say that workers of earlier generations are replaced."""
        self._numbers[_GENERATION] += 1

    def stop(self, *, hurry: bool = False) -> None:
        """Say that the server goes down."""
        self._numbers[_STOPPING] = HURRY if hurry else GRACE

    def leave(self) -> None:
        """Say that no worker needs to answer any longer."""
        self._numbers[_STOPPING] = LEAVE

    def go_on(self) -> None:
        """Say that it does not, after all workers have ended."""
        self._numbers[_STOPPING] = 0


class Link:
    """One worker's end of the lifeline.

    `generation` is the worker's own, `listening` the descriptor of the shared socket; `greets` says
    that it should say on standard output where it listens. The worker writes `ready` and `drained`.
    """

    def __init__(self, lifeline: Lifeline, listening: int = -1, *, greets: bool = False) -> None:
        self.lifeline = lifeline
        self.listening = listening
        self.generation = lifeline.generation
        self.greets = greets
        self._ready: Any = RawValue("b")
        self._drained: Any = RawValue("b")

    @property
    def ready(self) -> bool:
        """Whether the worker serves requests."""
        return bool(self._ready.value)

    def set_ready(self) -> None:
        """Say that the worker serves requests."""
        self._ready.value = 1

    @property
    def drained(self) -> bool:
        """Whether no run is left in the worker, which answers still."""
        return bool(self._drained.value)

    def set_drained(self) -> None:
        """Say that no run is left in the worker."""
        self._drained.value = 1

    @property
    def replaced(self) -> bool:
        """Whether a SIGTERM now means that another worker has taken over."""
        newer = self.lifeline.generation > self.generation
        return newer and not self.lifeline.stopping
