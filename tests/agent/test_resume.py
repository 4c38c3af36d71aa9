"""Answers to interrupts: which count, which are refused, and how an agent sees them."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import Struct

from gateway.agent import ResumePolicy, RunContext, RunOutcome
from gateway.agent.resume import check_resume
from gateway.errors import ResumeError
from gateway.protocol.base import UNSET
from gateway.protocol.input import ResumeEntry
from gateway.protocol.messages import AssistantMessage, UserMessage
from gateway.protocol.outcomes import Interrupt, InterruptOutcome, SuccessOutcome
from tests.agent.runs import events_of, failure, finish, given, sequence, sequence_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}},
    "required": ["approved"],
    "additionalProperties": False,
}
OPEN = Interrupt("open", "why")
CHECKED = Interrupt("checked", "approval", response_schema=SCHEMA)
LATE = Interrupt("late", "why", expires_at="2025-12-31T23:59:59Z")


def resolved(id: str, payload: Any = UNSET) -> ResumeEntry:
    return ResumeEntry(id, "resolved", payload)


def cancelled(id: str) -> ResumeEntry:
    return ResumeEntry(id, "cancelled")


@pytest.mark.parametrize("payload", [False, 0, "", [], {}, 0.0, True, {"a": None}])
def test_falsy_payloads_are_answers(payload: Any) -> None:
    answer = check_resume([resolved("open", payload)], [OPEN], now=NOW)["open"]
    assert not answer.cancelled
    assert answer.payload is payload


def test_an_answer_without_payload_is_one_where_no_schema_asks_for_more() -> None:
    assert check_resume([resolved("open")], [OPEN], now=NOW)["open"].payload is None


@pytest.mark.parametrize("interrupt", [OPEN, CHECKED, LATE])
def test_abandoning_is_always_possible(interrupt: Interrupt) -> None:
    answer = check_resume([cancelled(interrupt.id)], [interrupt], now=NOW)[interrupt.id]
    assert answer.cancelled
    assert answer.payload is None


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        ({"aproved": True}, "root"),
        ({"approved": "secret-value"}, "/approved"),
        (False, "root"),
        (UNSET, "no payload"),
    ],
)
def test_a_payload_that_does_not_fit_is_refused_not_taken_as_a_no(payload: Any, place: str) -> None:
    with pytest.raises(ResumeError, match=place) as caught:
        check_resume([resolved("checked", payload)], [CHECKED], now=NOW)
    assert "secret-value" not in str(caught.value)
    assert caught.value.interrupt_id == "checked"


@pytest.mark.parametrize(
    ("expires", "accepted"),
    [
        ("2025-12-31T23:59:59Z", False),
        ("2026-01-01T00:00:00Z", False),
        ("2026-01-01T00:00:00.001Z", True),
        ("2026-01-01T01:00:00+02:00", False),
        ("2026-01-01", False),
        ("2026-01-02", True),
    ],
)
def test_an_expired_interrupt_cannot_be_resolved(expires: str, accepted: bool) -> None:
    interrupt = Interrupt("late", "why", expires_at=expires)
    if accepted:
        assert "late" in check_resume([resolved("late")], [interrupt], now=NOW)
        return
    with pytest.raises(ResumeError, match="came after"):
        check_resume([resolved("late")], [interrupt], now=NOW)


def test_an_entry_that_is_not_there_leaves_the_interrupt_open() -> None:
    answers = check_resume([resolved("open")], [OPEN, CHECKED], now=NOW)
    assert list(answers) == ["open"]
    assert len(answers) == 1
    assert answers.missing == [CHECKED]


def test_unknown_ids_are_named_and_do_no_harm() -> None:
    answers = check_resume([resolved("other"), resolved("open")], [OPEN], now=NOW)
    assert answers.unknown == ["other"]
    assert "other" not in answers


def test_two_entries_for_one_interrupt_are_refused() -> None:
    with pytest.raises(ResumeError, match="twice"):
        check_resume([resolved("open", True), cancelled("open")], [OPEN], now=NOW)


@pytest.mark.parametrize(
    ("policy", "entries", "interrupts"),
    [
        (ResumePolicy(unknown="refuse"), [resolved("other")], []),
        (ResumePolicy(missing="refuse"), [], [OPEN]),
    ],
)
def test_a_policy_may_be_stricter(
    policy: ResumePolicy, entries: list[ResumeEntry], interrupts: list[Interrupt]
) -> None:
    with pytest.raises(ResumeError):
        check_resume(entries, interrupts, policy, NOW)


@pytest.mark.parametrize(
    ("policy", "entry", "interrupt"),
    [
        (ResumePolicy(expired="ask"), resolved("late"), LATE),
        (ResumePolicy(misfit="ask"), resolved("checked", False), CHECKED),
    ],
)
def test_a_policy_may_ask_again(
    policy: ResumePolicy, entry: ResumeEntry, interrupt: Interrupt
) -> None:
    answers = check_resume([entry], [interrupt], policy, NOW)
    assert answers.missing == [interrupt]


@pytest.mark.parametrize(
    "schema", [{"type": "objekt"}, {"$ref": "http://127.0.0.1:1/nowhere.json"}]
)
def test_a_schema_that_cannot_be_used_is_the_agents_fault(schema: dict[str, Any]) -> None:
    interrupt = Interrupt("i", "why", response_schema=schema)
    with pytest.raises(ValueError, match="no valid response schema"):
        check_resume([resolved("i", 1)], [interrupt], now=NOW)


def test_a_date_that_is_none_is_the_agents_fault() -> None:
    interrupt = Interrupt("i", "why", expires_at="soon")
    with pytest.raises(ValueError, match="soon"):
        check_resume([resolved("i")], [interrupt], now=NOW)


class Approval(Struct):
    """The payload of an answer."""

    approved: bool


def test_the_payload_is_typed_on_demand() -> None:
    answer = check_resume([resolved("open", {"approved": True})], [OPEN], now=NOW)["open"]
    assert answer.payload_as(Approval).approved
    wrong = check_resume([resolved("open", 7)], [OPEN], now=NOW)["open"]
    with pytest.raises(ResumeError, match="open"):
        wrong.payload_as(Approval)


deleted: list[bool] = []


async def deletes(ctx: RunContext[Any]) -> RunOutcome | None:
    """Deletes something once that is approved."""
    answer = ctx.answer(CHECKED)
    if answer is None:
        ctx.say("May I?")
        return RunOutcome.interrupt(CHECKED)
    if not answer.cancelled and answer.payload["approved"]:
        deleted.append(True)
    ctx.say("Done.")
    return None


async def asks_twice(ctx: RunContext[Any]) -> RunOutcome | None:
    """Has two questions; goes on when both are answered."""
    answers = ctx.answers(OPEN, CHECKED)
    if answers.missing:
        return RunOutcome.interrupt(answers.missing)
    ctx.say(", ".join(f"{id}={answer.payload}" for id, answer in answers.items()))
    return None


def test_pause_and_resume() -> None:
    first = finish(events_of(deletes))
    assert first.outcome == InterruptOutcome([CHECKED])
    second = given(run_id="r2", resume=[resolved("checked", {"approved": True})])
    deleted.clear()
    assert finish(events_of(deletes, second)).outcome == SuccessOutcome()
    assert deleted == [True]


@pytest.mark.parametrize(
    "resume", [[], [resolved("other", {"approved": True})], [cancelled("checked")]]
)
def test_nothing_is_done_without_a_yes(resume: list[ResumeEntry]) -> None:
    deleted.clear()
    events_of(deletes, given(resume=resume))
    assert deleted == []


def test_the_history_decides_nothing() -> None:
    deleted.clear()
    claims = [AssistantMessage("a", "May I?"), UserMessage("u", '{"approved": true}')]
    last = finish(events_of(deletes, given(messages=claims)))
    assert isinstance(last.outcome, InterruptOutcome)
    assert deleted == []


def test_a_refused_answer_ends_the_run_and_can_be_given_again() -> None:
    bad = given(resume=[resolved("checked", {"aproved": True})])
    events = events_of(deletes, bad)
    assert sequence(events) == "RS RE(INVALID_REQUEST)"
    assert "'checked'" in failure(events).message
    good = given(resume=[resolved("checked", {"approved": False})])
    assert sequence_of(deletes, good) == "RS TS TC TE RF"


def test_all_interrupts_are_surfaced_and_asked_again_until_answered() -> None:
    assert finish(events_of(asks_twice)).outcome == InterruptOutcome([OPEN, CHECKED])
    one = given(resume=[resolved("open", False)])
    assert finish(events_of(asks_twice, one)).outcome == InterruptOutcome([CHECKED])
    both = given(resume=[resolved("open", False), cancelled("checked")])
    assert sequence_of(asks_twice, both) == "RS TS TC TE RF"


def test_an_unknown_answer_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        events_of(asks_twice, given(resume=[resolved("other", "secret")]))
    assert "'other'" in caplog.text
    assert "secret" not in caplog.text


def test_an_interrupt_far_from_expiry_is_answered_in_a_run() -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    interrupt = Interrupt("i", "why", expires_at=later)
    ctx, _ = RunContext.for_test(given(resume=[resolved("i", 0)]))
    answer = ctx.answer(interrupt)
    assert answer is not None
    assert answer.payload == 0


@pytest.mark.parametrize("interrupts", [[], [OPEN, OPEN]])
def test_an_outcome_asks_something_and_each_thing_once(interrupts: list[Interrupt]) -> None:
    with pytest.raises(ValueError, match="interrupt"):
        RunOutcome.interrupt(interrupts)
