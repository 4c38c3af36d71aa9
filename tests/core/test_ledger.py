"""The ledger of one run: calls that results may name, and refusals that leave it alone."""

import pytest

from gateway.errors import OrderingError
from gateway.protocol import events as e
from gateway_native.ledger import Ledger


def entered(ledger: Ledger, *events: e.Event) -> Ledger:
    for event in events:
        ledger.enter(event, event.kind)
    return ledger


@pytest.mark.parametrize(
    ("call", "rule"), [("open", "out-of-order"), ("nobody's", "unknown-id"), ("ended", None)]
)
def test_an_answer_names_an_ended_call(call: str, rule: str | None) -> None:
    ledger = entered(
        Ledger(True, {"old"}),
        e.ToolCallStart("ended", "t"),
        e.ToolCallEnd("ended"),
        e.ToolCallStart("open", "t"),
    )
    entered(ledger, e.ToolCallResult("m1", "old", "x"))
    result = e.ToolCallResult("m2", call, "x")
    if rule is None:
        entered(ledger, result)
        return
    with pytest.raises(OrderingError, match=rule):
        entered(ledger, result)
    assert "m2" not in ledger.owners.messages


def test_answers_are_free_without_that_rule() -> None:
    entered(Ledger(False, set()), e.ToolCallResult("m", "nobody's", "x"))


def test_a_refused_end_leaves_its_block_open() -> None:
    ledger = entered(Ledger(False, set()), e.TextMessageStart("m"))
    with pytest.raises(OrderingError, match="wrong-owner"):
        entered(ledger, e.TextMessageEnd("m", subagent_run_id="s"))
    assert ledger.blocks.describe() == "text message 'm'"
