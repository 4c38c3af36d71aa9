"""How an agent says that its run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gateway.protocol.base import UNSET
from gateway.protocol.outcomes import (
    CancelledOutcome,
    Interrupt,
    InterruptOutcome,
    RunFinishedOutcome,
    SuccessOutcome,
)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What `run(ctx)` returns; `None` means `RunOutcome.success()`.

    `result` is any JSON value, written on the RUN_FINISHED of a success; None writes none. Usage
    reported with `ctx.usage(...)` is added by the driver.
    """

    outcome: RunFinishedOutcome
    result: Any = UNSET

    @staticmethod
    def success(result: Any = None) -> RunOutcome:
        """The run did what it should. Front-end calls left unanswered are listed by the driver."""
        return RunOutcome(SuccessOutcome(), UNSET if result is None else result)

    @staticmethod
    def interrupt(interrupts: Sequence[Interrupt] | Interrupt) -> RunOutcome:
        """The run stops to ask; the next run of the thread carries the answers.

        Raises ValueError when there is nothing to ask or two questions share an id.
        """
        asked = [interrupts] if isinstance(interrupts, Interrupt) else list(interrupts)
        if not asked:
            raise ValueError("an interrupt outcome needs at least one interrupt")
        if len({interrupt.id for interrupt in asked}) < len(asked):
            raise ValueError("two interrupts of one outcome share an id")
        return RunOutcome(InterruptOutcome(asked))

    @staticmethod
    def cancelled() -> RunOutcome:
        """The run was stopped on purpose: neither succeeded nor failed."""
        return RunOutcome(CancelledOutcome())
