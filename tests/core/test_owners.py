"""Who owns an id: the first opener, a history, and the message of a call."""

from collections.abc import Callable
from typing import Any

import pytest

from gateway.errors import OrderingError
from gateway.protocol.base import UNSET
from gateway.protocol.messages import ActivityMessage, AssistantMessage, FunctionCall, ToolCall
from gateway_native.kinds import REASONING_MESSAGE_START, REASONING_START, TEXT_MESSAGE_START
from gateway_native.owners import Owners


def refused(method: Callable[..., Any], *arguments: object) -> bool:
    try:
        method(*arguments)
    except OrderingError as error:
        return error.rule == "wrong-owner"
    return False


def test_the_first_opener_owns_an_id() -> None:
    owners = Owners()
    assert owners.claim(TEXT_MESSAGE_START, "m", "s") == "s"
    assert owners.claim(TEXT_MESSAGE_START, "m", None) == "s"
    assert refused(owners.claim, TEXT_MESSAGE_START, "m", "q")


def test_spans_and_reasoning_messages_share_owners_and_texts_do_not() -> None:
    owners = Owners()
    owners.claim(REASONING_START, "x", "s")
    assert refused(owners.claim, REASONING_MESSAGE_START, "x", "q")
    assert owners.claim(TEXT_MESSAGE_START, "x", "q") == "q"


@pytest.mark.parametrize(
    ("tag", "parent", "owner"),
    [(None, "m", "s"), ("s", "m", "s"), ("q", UNSET, "q"), ("q", "z", "q"), (None, UNSET, None)],
)
def test_a_call_belongs_to_its_message_or_its_tag(
    tag: str | None, parent: Any, owner: str | None
) -> None:
    owners = Owners()
    owners.claim(TEXT_MESSAGE_START, "m", "s")
    assert owners.claim_call("c", tag, parent) == owner
    assert owners.claim_call("c", None, UNSET) == owner


def test_an_echo_claims_what_is_free_and_a_snapshot_all() -> None:
    call = ToolCall("c", FunctionCall("t", ""))
    messages = [
        AssistantMessage("m", "x", [call], subagent_run_id="s"),
        ActivityMessage("a", "x", {}, subagent_run_id="s"),
    ]
    owners = Owners()
    owners.claim(TEXT_MESSAGE_START, "m", None)
    owners.seed(messages, False)
    assert (owners.messages, owners.calls, owners.activities) == (
        {"m": None},
        {"c": "s"},
        {"a": "s"},
    )
    owners.seed(messages, True)
    assert owners.messages == {"m": "s"}


def test_an_entity_that_nobody_knows_has_no_owner_to_contradict() -> None:
    owners = Owners()
    owners.require_entity("z", "s", "message")
    owners.claim(REASONING_MESSAGE_START, "z", None)
    assert refused(owners.require_entity, "z", "s", "message")
    assert not refused(owners.require_entity, "z", "s", "tool-call")
