"""What peers of older packages are sent."""

import pytest

from gateway.protocol import (
    UNSET,
    AssistantMessage,
    ImagePart,
    RunAgentInput,
    TextPart,
    UrlSource,
    UserMessage,
)
from gateway.protocol.notices import Notice
from gateway.protocol.peer import Peer

INPUT = RunAgentInput(
    "t",
    "r",
    [
        UserMessage("u", [TextPart("a"), ImagePart(UrlSource("https://example.com/x.png"))]),
        AssistantMessage("m", subagent_run_id="s"),
    ],
    protocol_version="1.0",
    parent_run_id="p",
)


def test_a_current_peer_gets_everything() -> None:
    peer = Peer()
    assert peer.declares_version
    assert peer.outgoing(INPUT) is INPUT


def test_a_peer_without_subagents_gets_no_tags_and_no_version() -> None:
    sent = Peer("0.0.57").outgoing(INPUT)
    assert sent.protocol_version is UNSET
    assert sent.messages[1] == AssistantMessage("m")
    assert sent.messages[0] == INPUT.messages[0]
    assert sent.parent_run_id == "p"


def test_a_peer_that_knows_text_only_gets_text_and_the_loss_is_told_once() -> None:
    notices: list[Notice] = []
    peer = Peer("0.0.39", notices.append)
    for _ in range(2):
        sent = peer.outgoing(INPUT)
    assert [getattr(message, "content", None) for message in sent.messages] == ["a", ""]
    assert sent.parent_run_id is UNSET
    assert [notice.path for notice in notices] == ["parts"]


@pytest.mark.parametrize("ceiling", ["", "1.0", "x.y.z", "0.0.57.1"])
def test_a_ceiling_is_a_version_of_the_packages(ceiling: str) -> None:
    with pytest.raises(ValueError, match="no version of the packages"):
        Peer(ceiling)
