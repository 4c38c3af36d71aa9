"""The duty of a client to answer what a run has asked before the thread goes on.

Spec: `docs/spec/1.1/basic/patterns/interrupt-resume.mdx`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from gateway.errors import InterruptError
from gateway.protocol.base import UNSET
from gateway.protocol.input import ResumeEntry
from gateway.protocol.outcomes import Interrupt


def require_answers(
    pending: Sequence[Interrupt], entries: Iterable[ResumeEntry], now: datetime | None = None
) -> None:
    """Raise InterruptError unless each pending interrupt has an entry and none comes too late.

    An expired one can only be cancelled; an `expires_at` that is no date never expires.
    """
    statuses = {entry.interrupt_id: entry.status for entry in entries}
    if missing := [each.id for each in pending if each.id not in statuses]:
        raise InterruptError("interrupts without an answer", missing)
    moment = now or datetime.now(UTC)
    late = [
        each.id for each in pending if statuses[each.id] == "resolved" and _expired(each, moment)
    ]
    if late:
        raise InterruptError("interrupts that have expired and can only be cancelled", late)


def answers(payloads: Mapping[str, Any]) -> list[ResumeEntry]:
    """Entries that resolve interrupts; a payload of None resolves without one."""
    return [
        ResumeEntry(id, "resolved", UNSET if payload is None else payload)
        for id, payload in payloads.items()
    ]


def cancellations(interrupts: Iterable[Interrupt]) -> list[ResumeEntry]:
    """Entries that abandon interrupts."""
    return [ResumeEntry(interrupt.id, "cancelled") for interrupt in interrupts]


def _expired(interrupt: Interrupt, now: datetime) -> bool:
    if interrupt.expires_at is UNSET:
        return False
    try:
        moment = datetime.fromisoformat(interrupt.expires_at)
    except ValueError:
        return False
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return moment <= now
