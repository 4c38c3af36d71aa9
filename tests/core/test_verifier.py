"""The verifier: rule by rule, against a plain model, and over the conformance vectors."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from gateway.errors import MalformedError, OrderingError
from gateway.protocol import events as e
from gateway.protocol.boundary import Boundary
from gateway.protocol.enforcement import enforce
from gateway_native.kinds import (
    NAMES,
    STEP_STARTED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_START,
)
from gateway_native.verifier import Verifier
from tests.core.model import Model
from tests.core.sequences import CONTENTS, IDS, Source

DATA = Path(__file__).parent.parent / "data"
PRODUCER_RULES = {"wrong-run", "unknown-id", "out-of-order", "duplicate-interrupt", "malformed"}


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def rule_of(verifier: Verifier, event: Any) -> str | None:
    """The rule that refuses the event, None if it passes."""
    try:
        verifier.feed(event)
    except OrderingError as error:
        return error.rule
    return None


def delta_rule_of(verifier: Verifier, kind: int, id: str) -> str | None:
    try:
        verifier.check_delta(kind, id)
    except OrderingError as error:
        return error.rule
    return None


def finish_of(verifier: Verifier) -> str | None:
    try:
        verifier.finish()
    except OrderingError as error:
        return error.rule
    return None


def started(*events: e.Event, producer: bool = True, **options: Any) -> Verifier:
    verifier = Verifier(producer, **options)
    for event in (e.RunStarted("t", "r"), *events):
        verifier.feed(event)
    return verifier


SCENARIOS = [
    pytest.param(row, rules, id=f"{rules}: {row['name']}")
    for row in lines(DATA / "ordering.jsonl")
    for rules in row["rules"]
]


@pytest.mark.parametrize(("row", "rules"), SCENARIOS)
def test_scenario(row: dict[str, Any], rules: str) -> None:
    """`refused` names the rule that an event breaks; those after it show that nothing changed."""
    options = {k: row[k] for k in ("agreement", "thread_id", "run_id", "known_calls") if k in row}
    verifier = Verifier(rules == "producer", **options)
    model = Model(rules == "producer", **options)
    for raw in row["events"]:
        expected = raw.get("refused")
        event = enforce({name: value for name, value in raw.items() if name != "refused"})
        assert event is not None
        assert rule_of(verifier, event) == expected, raw
        assert model.feed(event) == expected, raw
    if "finish" in row:
        assert finish_of(verifier) == row["finish"] == model.finish()


def open_ids(verifier: Verifier) -> list[tuple[str, Any]]:
    """What is open, as the model names it."""
    families = {
        "TEXT_MESSAGE_START": "text",
        "TOOL_CALL_START": "call",
        "REASONING_START": "span",
        "REASONING_MESSAGE_START": "reasoning",
        "STEP_STARTED": "step",
        "SUBAGENT_STARTED": "subagent",
    }
    return [
        (families[NAMES[b.kind]], (b.owner, b.id) if b.kind == STEP_STARTED else b.id)
        for b in verifier.open_blocks()
    ]


@pytest.mark.parametrize("producer", [False, True], ids=["consumer", "producer"])
def test_verdicts_equal_those_of_the_model(producer: bool) -> None:
    options: dict[str, Any] = {"thread_id": "t", "run_id": "r", "known_calls": ["d"]}
    for seed in range(250):
        verifier = Verifier(producer, agreement=seed % 2 == 0, **options)
        model = Model(producer, agreement=seed % 2 == 0, **options)
        for place, event in enumerate(islice(Source(seed, chunks=seed % 3 > 0), 400)):
            where = f"seed {seed}, event {place}: {event}"
            assert rule_of(verifier, event) == model.feed(event), where
            assert open_ids(verifier) == model.open_explicitly(), where
            assert verifier.active == (model.phase == "active"), where
        assert finish_of(verifier) == model.finish(), f"seed {seed}"


@pytest.mark.parametrize("producer", [False, True], ids=["consumer", "producer"])
def test_check_delta_judges_as_feed_does(producer: bool) -> None:
    for seed in range(50):
        verifier, model = Verifier(producer), Model(producer)
        source = Source(seed)
        for place, event in enumerate(islice(source, 400)):
            assert rule_of(verifier, event) == model.feed(event)
            cls, id = CONTENTS[place % 3], IDS[place % 5 % 3]
            expected = model.feed(cls(id, "x"))
            assert delta_rule_of(verifier, cls.kind, id) == expected, f"seed {seed}, event {place}"


def enforced(row: dict[str, Any]) -> tuple[list[tuple[int, e.Event]], int | None]:
    """The events that reach the expander, with their places, and where enforcement refuses."""
    boundary = Boundary()
    events: list[tuple[int, e.Event]] = []
    for place, raw in enumerate(row["events"]):
        try:
            event = enforce(boundary.feed(raw))
        except MalformedError:
            return events, place
        if event is not None:
            events.append((place, event))
    return events, None


@pytest.mark.parametrize("subject", [Verifier, Model])
def test_chunks_need_no_expansion_in_front(subject: Any) -> None:
    """The verifier and its model judge the vectors as the pipeline with an expander does."""
    for row in lines(DATA / "vectors" / "verify.jsonl"):
        judge = subject()
        events, malformed = enforced(row)
        broken = (place for place, event in events if not passes(judge, event))
        assert next(broken, malformed) == row["pipeline"]["error_index"], row["name"]


def passes(judge: Any, event: e.Event) -> bool:
    rule = judge.feed(event) if type(judge) is Model else rule_of(judge, event)
    return rule is None


def test_producer_rules_are_the_consumer_rules_and_those_marked_p() -> None:
    for row in lines(DATA / "vectors" / "verify.jsonl"):
        consumer, producer = Verifier(), Verifier(producer=True)
        for _, event in enforced(row)[0]:
            if rule_of(consumer, event) is not None:
                assert rule_of(producer, event) is not None, row["name"]
                break
            rule = rule_of(producer, event)
            if rule is not None:
                assert rule in PRODUCER_RULES, row["name"]
                break


def test_an_error_names_rule_event_and_id() -> None:
    with pytest.raises(OrderingError) as caught:
        started().feed(e.TextMessageContent("m1", "x"))
    error = caught.value
    assert (error.rule, error.event_type, error.id) == ("not-open", "TEXT_MESSAGE_CONTENT", "m1")
    assert str(error) == "not-open: TEXT_MESSAGE_CONTENT: no text message 'm1' is open"


def test_what_is_open_at_the_finish_is_named_oldest_first() -> None:
    verifier = started(e.StepStarted("plan"), e.TextMessageStart("m"), e.ToolCallStart("c", "n"))
    with pytest.raises(OrderingError, match="step 'plan', text message 'm', tool call 'c'"):
        verifier.feed(e.RunFinished("t", "r"))


def test_open_blocks_come_in_order_of_opening_with_their_owners() -> None:
    verifier = started(
        e.SubagentStarted("s", "n"),
        e.TextMessageStart("m", subagent_run_id="s"),
        e.ToolCallStart("c", "n", "m"),
        e.ReasoningStart("g"),
        e.ReasoningEnd("g"),
        e.StepStarted("p"),
    )
    assert [(b.kind, b.id, b.owner) for b in verifier.open_blocks()] == [
        (SUBAGENT_STARTED, "s", None),
        (TEXT_MESSAGE_START, "m", "s"),
        (TOOL_CALL_START, "c", "s"),
        (STEP_STARTED, "p", None),
    ]


def test_chunks_are_no_open_blocks_since_they_end_by_themselves() -> None:
    verifier = started(e.TextMessageStart("m"), e.TextMessageChunk("n", delta="x"))
    assert [b.id for b in verifier.open_blocks()] == ["m"]


def test_nothing_is_open_after_an_error() -> None:
    assert started(e.TextMessageStart("m"), e.RunError("x")).open_blocks() == []


def test_a_call_is_known_once_it_was_made() -> None:
    verifier = started(known_calls=["old"])
    assert [verifier.knows_call(id) for id in ("old", "c")] == [True, False]
    verifier.feed(e.ToolCallStart("c", "n"))
    assert verifier.knows_call("c")


def test_a_twin_has_the_rules_and_nothing_of_the_stream() -> None:
    verifier = started(e.TextMessageStart("m"), thread_id="t", known_calls=["old"])
    twin = verifier.twin()
    assert not twin.active
    assert rule_of(twin, e.RunStarted("u", "r")) == "wrong-run"
    assert twin.knows_call("old")


@pytest.mark.parametrize("cls", CONTENTS)
def test_the_short_way_is_for_content_of_the_last_block_only(cls: Any) -> None:
    verifier = started(*opened("m"), *opened("n"))
    assert not verifier.continues_last(cls("m", "x"))
    verifier.feed(cls("m", "x"))
    assert verifier.continues_last(cls("m", "x"))
    assert verifier.continues_last(cls("".join(["", "m"]), "x"))
    assert not verifier.continues_last(cls("n", "x"))
    assert not verifier.continues_last(cls("m", "x", subagent_run_id="s"))
    assert not verifier.continues_last(cls("m", "x", metadata={}))
    assert not verifier.continues_last(cls("m", "x", raw_event=None))
    assert not verifier.continues_last(cls("m", "x", timestamp=2.5))
    assert not verifier.continues_last(cls("m", b"x"))
    assert not verifier.continues_last(cls(["m"], "x"))
    verifier.feed(e.TextMessageChunk("o", delta="x"))
    assert not verifier.continues_last(cls("m", "x"))


def opened(id: str) -> list[e.Event]:
    return [e.TextMessageStart(id), e.ToolCallStart(id, "n"), e.ReasoningMessageStart(id)]


def test_the_short_way_holds_for_tagged_content() -> None:
    verifier = started(e.TextMessageStart("m", subagent_run_id="s"))
    verifier.feed(e.TextMessageContent("m", "x", subagent_run_id="s"))
    assert verifier.continues_last(
        e.TextMessageContent("m", "x", subagent_run_id="".join(["", "s"]))
    )
    assert not verifier.continues_last(e.TextMessageContent("m", "x", subagent_run_id="q"))
    assert not verifier.continues_last(e.TextMessageContent("m", "x"))


def test_an_unannounced_tag_is_noticed_once_a_run() -> None:
    notices: list[tuple[str, str]] = []

    def note(tag: str, event_type: str) -> None:
        notices.append((tag, event_type))

    verifier = Verifier(unannounced=note)
    for _ in range(2):
        for event in (
            e.RunStarted("t", "r"),
            e.SubagentStarted("s", "n"),
            e.TextMessageStart("m", subagent_run_id="s"),
            e.TextMessageEnd("m"),
            e.SubagentFinished("s"),
            e.Custom("n", 1, subagent_run_id="s"),
            e.TextMessageStart("n", subagent_run_id="q"),
            e.TextMessageContent("n", "x", subagent_run_id="q"),
            e.TextMessageEnd("n", subagent_run_id="q"),
            e.RunFinished("t", "r"),
        ):
            verifier.feed(event)
    assert notices == [("q", "TEXT_MESSAGE_START")] * 2


MALFORMED: list[Any] = [
    e.TextMessageContent("m", 5),  # type: ignore[arg-type]
    e.TextMessageContent(7, "x"),  # type: ignore[arg-type]
    e.TextMessageContent(["m"], "x"),  # type: ignore[arg-type]
    e.TextMessageContent("m", "x", timestamp=2.5),  # type: ignore[arg-type]
    e.TextMessageContent("m", "x", raw_event=None),
    e.TextMessageContent("m", "x", subagent_run_id=None),  # type: ignore[arg-type]
    e.ToolCallStart("d", 5),  # type: ignore[arg-type]
    e.TextMessageChunk("n", delta=b"x"),  # type: ignore[arg-type]
    e.RunFinished("t", 5),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("event", MALFORMED, ids=repr)
def test_a_malformed_value_is_refused_with_the_producer_rules(event: Any) -> None:
    verifier = started(e.TextMessageStart("m"), e.TextMessageContent("m", "x"))
    assert rule_of(verifier, event) == "malformed"
    verifier.feed(e.TextMessageContent("m", "x"))


@pytest.mark.parametrize("kind", [TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS])
def test_check_delta_refuses_what_is_not_open(kind: int) -> None:
    with pytest.raises(OrderingError, match="not-open"):
        started().check_delta(kind, "m")
    with pytest.raises(OrderingError, match="not-started"):
        Verifier().check_delta(kind, "m")
