"""Runs: the outermost brackets of a stream, and whether their ids agree.

A stream carries one run or several, one after the other. RUN_STARTED opens a run, RUN_FINISHED or
RUN_ERROR ends it. RUN_ERROR may also come first, and once more after RUN_FINISHED.
Spec: `docs/spec/1.1/events/lifecycle.mdx`, `docs/spec/1.1/basic/run-input.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.errors import OrderingError
from gateway_native.kinds import NAMES, RUN_ERROR, RUN_FINISHED, RUN_STARTED

IDLE: Final = 0
ACTIVE: Final = 1
FINISHED: Final = 2
ERRORED: Final = 3


class Runs:
    """Where a stream stands. A method that raises has changed nothing.

    `thread_id` and `run_id` are the input's; without a `thread_id` the first run decides. They are
    compared only with `agreement`.
    """

    def __init__(self, agreement: bool, thread_id: str | None, run_id: str | None) -> None:
        self.agreement = agreement
        self.thread_id = thread_id
        self.run_id = run_id
        self.phase = IDLE
        self.current: str | None = None
        """The id of the run that is active or was last."""

    def require_place(self, kind: int) -> None:
        """Raise OrderingError if no event of that kind may stand here."""
        phase = self.phase
        if phase == ACTIVE:
            if kind == RUN_STARTED:
                raise OrderingError(
                    "duplicate-run-started",
                    NAMES[kind],
                    self.current or "",
                    f"run {self.current!r} is still active",
                )
        elif phase == IDLE:
            if kind != RUN_STARTED and kind != RUN_ERROR:
                raise OrderingError(
                    "not-started", NAMES[kind], "", "a stream begins with RUN_STARTED"
                )
        elif kind != RUN_STARTED and not (phase == FINISHED and kind == RUN_ERROR):
            raise OrderingError("run-ended", NAMES[kind], self.current or "", "the run has ended")

    def start(self, event: Any) -> None:
        thread: str = event.thread_id
        run: str = event.run_id
        if self.agreement:
            self._require_thread(RUN_STARTED, thread)
            self.thread_id = thread
        self.current = run
        self.phase = ACTIVE

    def require_end(self, event: Any) -> None:
        """Raise OrderingError if a RUN_FINISHED names other ids, or one interrupt twice."""
        if not self.agreement:
            return
        self._require_thread(RUN_FINISHED, event.thread_id)
        run: str = event.run_id
        if run != self.current:
            raise OrderingError(
                "wrong-run",
                NAMES[RUN_FINISHED],
                run,
                f"run {self.current!r} is active, the event names {run!r}",
            )
        _require_unique(getattr(event.outcome, "interrupts", None))

    def end(self, kind: int) -> None:
        self.phase = FINISHED if kind == RUN_FINISHED else ERRORED

    def require_complete(self) -> None:
        """Raise OrderingError if the stream ends here too early, or has run another run."""
        if self.phase == IDLE or self.phase == ACTIVE:
            raise OrderingError(
                "truncated", "", self.current or "", "the stream ended without a terminal event"
            )
        if not self.agreement or self.run_id is None or self.current is None:
            return
        if self.current != self.run_id:
            raise OrderingError(
                "wrong-run",
                NAMES[RUN_STARTED],
                self.current,
                f"the input asks for run {self.run_id!r}, the last one was {self.current!r}",
            )

    def _require_thread(self, kind: int, thread: str) -> None:
        if self.thread_id is not None and thread != self.thread_id:
            raise OrderingError(
                "wrong-run",
                NAMES[kind],
                thread,
                f"the thread is {self.thread_id!r}, the event names {thread!r}",
            )


def _require_unique(interrupts: Any) -> None:
    """An answer names its interrupt by id, so a run must not ask twice under one."""
    if interrupts is None:
        return
    seen: set[str] = set()
    for interrupt in interrupts:
        id: str = interrupt.id
        if id in seen:
            raise OrderingError(
                "duplicate-interrupt",
                NAMES[RUN_FINISHED],
                id,
                f"two interrupts have the id {id!r}",
            )
        seen.add(id)
