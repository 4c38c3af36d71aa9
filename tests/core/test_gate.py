"""The gate: whose fault a refusal is, and how a run ends whatever transformers do."""

from typing import Any

import pytest

from gateway.errors import OrderingError, TransformerError
from gateway.protocol.events import (
    Custom,
    Event,
    RunError,
    RunFinished,
    StateSnapshot,
    StepStarted,
    SubagentStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallStart,
)
from gateway_native.chain import Transformer
from tests.core.streams import brief, sent, started

FINISHED = RunFinished("t", "r")


class Without(Transformer):
    """Drops events of the types given."""

    def __init__(self, *types: type[Event]) -> None:
        self.types = types

    def transform(self, event: Any) -> Any:
        return None if isinstance(event, self.types) else event


class Twice(Without):
    def transform(self, event: Any) -> Any:
        return [event, event] if isinstance(event, self.types) else event


class FailAt(Without):
    def transform(self, event: Any) -> Any:
        if isinstance(event, self.types):
            raise ZeroDivisionError
        return event


class Holding(Transformer):
    """Holds all content back until the end."""

    def __init__(self) -> None:
        self.held: list[Event] = []

    def transform(self, event: Any) -> Any:
        if not isinstance(event, TextMessageContent):
            return event
        self.held.append(event)
        return None

    def finish(self) -> Any:
        return [*self.held, Custom("held", None)]


def test_an_authors_error_stays_the_authors_with_transformers() -> None:
    stream = started(Transformer())
    with pytest.raises(OrderingError, match="not-open"):
        stream.emit(TextMessageContent("m", "a"))
    with pytest.raises(OrderingError, match="not-open"):
        stream.text("m", "a")
    with pytest.raises(OrderingError, match="not-open"):
        stream.emit(TextMessageEnd("m"))
    stream.emit(TextMessageStart("m"))
    assert brief(stream) == ["TEXT_MESSAGE_START m"]


def test_an_authors_error_is_found_though_the_event_is_dropped() -> None:
    stream = started(Without(TextMessageContent, TextMessageEnd))
    for refused in (TextMessageContent("m", "a"), TextMessageEnd("m")):
        with pytest.raises(OrderingError, match="not-open"):
            stream.emit(refused)


def test_what_a_transformer_breaks_is_its_fault_and_stays() -> None:
    stream = started(Without(TextMessageStart))
    stream.emit(TextMessageStart("m"))
    with pytest.raises(TransformerError) as caught:
        stream.emit(TextMessageContent("m", "a"))
    assert caught.value.transformer == "Without"
    assert isinstance(caught.value.cause, OrderingError)
    with pytest.raises(TransformerError):
        stream.emit(Custom("c", None))
    with pytest.raises(TransformerError):
        stream.text("m", "a")


def test_a_delta_that_a_transformer_orphaned_is_its_fault() -> None:
    class WithoutStarts(Without):
        kinds = (TextMessageStart,)

    stream = started(WithoutStarts(TextMessageStart))
    stream.emit(TextMessageStart("m"))
    with pytest.raises(TransformerError):
        stream.text("m", "a")


def test_a_doubled_start_is_the_transformers_fault_and_the_run_still_ends_well() -> None:
    stream = started(Twice(TextMessageStart))
    with pytest.raises(TransformerError):
        stream.emit(TextMessageStart("m"))
    stream.close_open(True)
    stream.end(RunError("failed", "TRANSFORMER_ERROR"))
    assert brief(stream) == ["TEXT_MESSAGE_START m", "TEXT_MESSAGE_END m", "RUN_ERROR"]


@pytest.mark.parametrize("kind", [Without, Twice, FailAt])
def test_a_run_finished_that_does_not_come_out_once_is_the_transformers_fault(kind: Any) -> None:
    stream = started(kind(RunFinished))
    stream.emit(TextMessageStart("m"))
    stream.close_open(False)
    with pytest.raises(TransformerError):
        stream.end(FINISHED)
    assert not stream.ended
    stream.bypass_chain()
    stream.end(RunError("failed"))
    assert brief(stream) == ["TEXT_MESSAGE_START m", "TEXT_MESSAGE_END m", "RUN_ERROR"]


@pytest.mark.parametrize("kind", [Without, Twice, FailAt])
def test_a_run_error_goes_out_whatever_transformers_do(kind: Any) -> None:
    stream = started(kind(RunError, TextMessageEnd))
    stream.emit(TextMessageStart("m"))
    stream.emit(RunError("failed"))
    assert brief(stream)[1:] == ["TEXT_MESSAGE_END m", "RUN_ERROR"]
    assert stream.ended


def test_a_terminal_event_may_be_changed_and_preceded() -> None:
    class Last(Transformer):
        kinds = (RunFinished,)

        def transform(self, event: Any) -> Any:
            return [StateSnapshot(1), event.__replace__(result="changed")]

    stream = started(Last())
    stream.end(FINISHED)
    events = sent(stream)
    assert [event["type"] for event in events] == ["STATE_SNAPSHOT", "RUN_FINISHED"]
    assert events[1]["result"] == "changed"


def test_what_transformers_hold_leaves_before_the_terminal_event() -> None:
    stream = started(Holding())
    stream.emit(TextMessageStart("m"))
    stream.end(RunError("failed"))
    assert brief(stream) == ["TEXT_MESSAGE_START m", "TEXT_MESSAGE_END m", "CUSTOM", "RUN_ERROR"]


def test_held_events_that_come_too_late_are_the_transformers_fault() -> None:
    stream = started(Holding())
    stream.emit(TextMessageStart("m"))
    stream.emit(TextMessageContent("m", "a"))
    stream.close_open(False)
    with pytest.raises(TransformerError):
        stream.end(FINISHED)


def test_a_finish_that_breaks_a_rule_is_the_authors_and_can_be_mended() -> None:
    stream = started(Transformer())
    stream.emit(TextMessageStart("m"))
    with pytest.raises(OrderingError, match="open-at-finish"):
        stream.emit(FINISHED)
    stream.emit(TextMessageEnd("m"))
    with pytest.raises(OrderingError, match="wrong-run"):
        stream.emit(RunFinished("t", "other"))
    stream.emit(FINISHED)
    assert brief(stream)[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("transformers", [[], [Transformer()]])
def test_open_blocks_are_ended_innermost_first(transformers: list[Transformer]) -> None:
    stream = started(*transformers)
    stream.emit(SubagentStarted("s", "researcher"))
    stream.emit(StepStarted("plan", subagent_run_id="s"))
    stream.emit(TextMessageStart("m", subagent_run_id="s"))
    stream.emit(ToolCallStart("c", "search"))
    stream.flush()
    stream.close_open(False)
    events = sent(stream)
    assert [event["type"] for event in events] == [
        "TOOL_CALL_END",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "SUBAGENT_FINISHED",
    ]
    assert [event.get("subagentRunId") for event in events] == [None, "s", "s", "s"]
    stream.end(FINISHED)


def test_an_open_subagent_fails_with_its_run() -> None:
    stream = started()
    stream.emit(SubagentStarted("s", "researcher"))
    stream.end(RunError("failed"))
    assert brief(stream)[1:] == ["SUBAGENT_ERROR s", "RUN_ERROR"]


def test_a_run_does_not_finish_after_a_transformer_has_failed() -> None:
    stream = started(FailAt(TextMessageEnd))
    stream.emit(TextMessageStart("m"))
    stream.close_open(False)
    with pytest.raises(TransformerError):
        stream.end(FINISHED)
    stream.end(RunError("failed"))
    assert brief(stream)[1:] == ["TEXT_MESSAGE_END m", "RUN_ERROR"]


def test_a_run_does_not_finish_if_its_author_ignores_the_failure() -> None:
    stream = started(FailAt(Custom))
    with pytest.raises(TransformerError):
        stream.emit(Custom("c", None))
    stream.close_open(False)
    with pytest.raises(TransformerError):
        stream.end(FINISHED)
