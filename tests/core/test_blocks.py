"""What is open: order, names, and taking back a close."""

import pytest

from gateway.errors import OrderingError
from gateway_native.blocks import Block, Blocks
from gateway_native.kinds import (
    REASONING_START,
    SUBAGENT_FINISHED,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_START,
)


def some() -> Blocks:
    blocks = Blocks()
    blocks.open_subagent("s", None)
    blocks.open_step("p", "s")
    blocks.open(TEXT_MESSAGE_START, "m", "s")
    blocks.open(TOOL_CALL_START, "c", None)
    blocks.open(REASONING_START, "g", None)
    return blocks


def ids(blocks: list[Block]) -> list[str]:
    return [block.id for block in blocks]


def test_blocks_are_listed_in_order_of_opening() -> None:
    assert ids(some().in_order()) == ["s", "p", "m", "c", "g"]
    assert some().describe() == (
        "subagent 's', step 'p', text message 'm', tool call 'c', reasoning span 'g'"
    )
    assert Blocks().describe() == ""


def test_a_close_that_is_taken_back_keeps_the_place() -> None:
    blocks = some()
    block = blocks.by_family[0]["m"]
    blocks.close(TEXT_MESSAGE_END, "m")
    assert ids(blocks.in_order()) == ["s", "p", "c", "g"]
    blocks.reopen(block)
    assert ids(blocks.in_order()) == ["s", "p", "m", "c", "g"]


def test_a_step_of_another_owner_is_named() -> None:
    with pytest.raises(OrderingError, match="subagent 's' has one") as caught:
        some().close_step("p", None)
    assert caught.value.rule == "wrong-owner"


def test_an_ended_subagent_stays_known() -> None:
    blocks = some()
    blocks.close_subagent(SUBAGENT_FINISHED, "s")
    assert blocks.knows_subagent("s")
    assert not blocks.knows_subagent("q")
