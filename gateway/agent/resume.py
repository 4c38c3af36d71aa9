"""Answers to interrupts: which ones count, and which are refused.

An agent that asks ends its run with the interrupt outcome; the answers come as the `resume` entries
of a new run. Only these entries decide: not the history that the client sends, not an answer of an
earlier run. An entry resolves its interrupt with a payload, which may be false, 0 or empty, or
abandons it; abandoning is always possible, resolving only as the interrupt allows. By default, as
in spec basic/patterns/interrupt-resume:

    no entry              the interrupt is still open: ask again, never act
    unknown id            warn and go on
    expired               refused; the entry could only have been `cancelled`
    misfit payload        refused, naming the place and what the schema expects there
    two entries, one id   refused, as nobody can say which one counts
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import jsonschema_rs
from msgspec import Struct

from gateway.agent.decoding import decode_as
from gateway.errors import DecodeError, ResumeError
from gateway.protocol.base import UNSET
from gateway.protocol.input import ResumeEntry
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.values import encode_value

T = TypeVar("T")


class ResumePolicy(Struct, frozen=True, kw_only=True):
    """What to do about resume entries that do not match; the defaults are the specification's.

    `unknown`: an entry names no open interrupt. `missing`: an open interrupt has no entry; "ask"
    leaves it among `Answers.missing`. `expired` and `misfit`: an entry resolves an interrupt too
    late, or with a payload that does not fit; "ask" treats it as if it were not there. "refuse"
    raises ResumeError.
    """

    unknown: Literal["warn", "refuse"] = "warn"
    missing: Literal["ask", "refuse"] = "ask"
    expired: Literal["ask", "refuse"] = "refuse"
    misfit: Literal["ask", "refuse"] = "refuse"


class Answer(Struct, frozen=True):
    """A decision that may be acted upon; `payload` is None when there is none."""

    interrupt: Interrupt
    cancelled: bool
    """True when the human abandoned the question; there is no payload then."""
    payload: Any = None

    def payload_as(self, type: type[T]) -> T:
        """The payload as a Struct, dataclass, dict or pydantic model; raises ResumeError."""
        try:
            return decode_as(encode_value(self.payload), type)
        except DecodeError as error:
            raise ResumeError(self.interrupt.id, f"does not fit: {error.reason}") from error


class Answers(Mapping[str, Answer]):
    """Answers by interrupt id; `missing` are the interrupts to ask (again)."""

    def __init__(
        self, answers: dict[str, Answer], missing: list[Interrupt], unknown: list[str]
    ) -> None:
        self._answers = answers
        self.missing = missing
        self.unknown = unknown
        """Ids of entries that answer no open interrupt."""

    def __getitem__(self, id: str) -> Answer:
        return self._answers[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


def check_resume(
    entries: Sequence[ResumeEntry],
    interrupts: Iterable[Interrupt],
    policy: ResumePolicy = ResumePolicy(),
    now: datetime | None = None,
) -> Answers:
    """Match `entries` with the interrupts that are open; raises ResumeError as `policy` says."""
    by_id = _by_id(entries)
    now = datetime.now(UTC) if now is None else now
    answers: dict[str, Answer] = {}
    missing: list[Interrupt] = []
    for interrupt in interrupts:
        answer = _answer(by_id.pop(interrupt.id, None), interrupt, policy, now)
        if answer is None:
            missing.append(interrupt)
        else:
            answers[interrupt.id] = answer
    if by_id and policy.unknown == "refuse":
        raise ResumeError(next(iter(by_id)), "belongs to no open interrupt")
    return Answers(answers, missing, list(by_id))


def _by_id(entries: Sequence[ResumeEntry]) -> dict[str, ResumeEntry]:
    by_id: dict[str, ResumeEntry] = {}
    for entry in entries:
        if entry.interrupt_id in by_id:
            raise ResumeError(entry.interrupt_id, "is there twice: expected one entry")
        by_id[entry.interrupt_id] = entry
    return by_id


def _answer(
    entry: ResumeEntry | None, interrupt: Interrupt, policy: ResumePolicy, now: datetime
) -> Answer | None:
    if entry is None:
        _refuse_if(policy.missing == "refuse", interrupt, "is missing: expected an entry for it")
        return None
    if entry.status == "cancelled":
        return Answer(interrupt, True)
    if is_expired(interrupt, now):
        _refuse_if(policy.expired == "refuse", interrupt, f"came after {interrupt.expires_at}")
        return None
    misfit = _misfit(entry, interrupt)
    if misfit:
        _refuse_if(policy.misfit == "refuse", interrupt, misfit)
        return None
    return Answer(interrupt, False, None if entry.payload is UNSET else entry.payload)


def _refuse_if(refuse: bool, interrupt: Interrupt, reason: str) -> None:
    if refuse:
        raise ResumeError(interrupt.id, reason)


def is_expired(interrupt: Interrupt, now: datetime) -> bool:
    """Whether `expires_at` is now or earlier; without an offset it is taken as UTC.

    Raises ValueError when the agent's interrupt holds no ISO 8601 date and time there.
    """
    if interrupt.expires_at is UNSET:
        return False
    expires = datetime.fromisoformat(interrupt.expires_at)
    if expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    return expires <= now


def _misfit(entry: ResumeEntry, interrupt: Interrupt) -> str:
    """What is wrong with a payload, "" if nothing; its values are not quoted."""
    if interrupt.response_schema is UNSET:
        return ""
    if entry.payload is UNSET:
        return "has no payload: the interrupt has a response schema"
    validator = _validator(interrupt.id, interrupt.response_schema)
    error = next(validator.iter_errors(entry.payload), None)
    if error is None:
        return ""
    pointer = "".join(f"/{token}" for token in error.instance_path)
    return f"does not fit at {pointer or 'its root'}: {error.message}"


def _validator(id: str, schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Fetches nothing: a schema that refers to another document is refused."""
    try:
        return jsonschema_rs.validator_for(
            schema, offline=True, mask="the value", validate_formats=True
        )
    except ValueError as error:
        raise ValueError(f"interrupt {id!r}: no valid response schema: {error}") from error
