"""What viewers of older eras get."""

from typing import Any

import pytest

from gateway.protocol import (
    UNSET,
    AssistantMessage,
    CancelledOutcome,
    DataSource,
    Event,
    FileSource,
    FunctionCall,
    ImagePart,
    Interrupt,
    InterruptOutcome,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    RunAgentInput,
    RunFinished,
    RunStarted,
    SuccessOutcome,
    TextMessageContent,
    TextPart,
    ToolCall,
    ToolCallResult,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.eras import LEGACY, OWN, Version, downgrade_for, version_of
from gateway.protocol.notices import Notice

IMAGE = ImagePart(DataSource("AA==", "image/png"))
FILE = ImagePart(FileSource("file-1", "openai"))


def legacy(event: Event, notices: list[Notice] | None = None) -> Any:
    reshape = downgrade_for(UNSET, ([] if notices is None else notices).append)
    assert reshape is not None
    return reshape(event)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.0", Version(1, 0)),
        ("1.10", Version(1, 10)),
        ("12.3", Version(12, 3)),
        ("1", None),
        ("1.0.0", None),
        ("", None),
        ("1.x", None),
        (" 1.0", None),
        ("1.0\n", None),
        ("١.٠", None),
        ("9" * 50 + ".0", None),
    ],
)
def test_versions_are_two_numbers(text: str, version: Version | None) -> None:
    assert Version.parse(text) == version


def test_versions_compare_by_number() -> None:
    assert Version(1, 10) > Version(1, 9) > LEGACY


def test_an_absent_version_is_the_legacy_era_and_an_unreadable_one_is_current() -> None:
    assert version_of(UNSET) == LEGACY
    assert version_of("1.0.0") == OWN
    assert version_of("2.7") == Version(2, 7)


@pytest.mark.parametrize("declared", ["1.1", "1.2", "2.0"])
def test_a_newer_viewer_gets_everything(declared: str) -> None:
    assert downgrade_for(declared) is None


def test_a_viewer_of_1_0_misses_only_the_types_of_encrypted_values() -> None:
    reshape = downgrade_for("1.0")
    assert reshape is not None
    cancelled = RunFinished("t", "r", outcome=CancelledOutcome())
    parts = ToolCallResult("m", "c", [TextPart("a"), IMAGE])
    assert reshape(cancelled) is cancelled
    assert reshape(parts) is parts
    value = ReasoningEncryptedValue("message", "m", "AA==", "anthropic.redacted")
    assert reshape(value) == ReasoningEncryptedValue("message", "m", "AA==")


def test_a_cancelled_run_ends_without_outcome_and_says_so_in_its_metadata() -> None:
    finished = legacy(RunFinished("t", "r", outcome=CancelledOutcome(), metadata={"a": 1}))
    assert finished == RunFinished("t", "r", metadata={"a": 1, "reason": "cancelled"})


def test_success_is_plain_and_an_interrupt_is_kept() -> None:
    assert legacy(RunFinished("t", "r", outcome=SuccessOutcome(["c1"]))) == RunFinished(
        "t", "r", outcome=SuccessOutcome()
    )
    asked = RunFinished("t", "r", outcome=InterruptOutcome([Interrupt("i", "approval")]))
    assert legacy(asked) is asked


def test_tool_results_become_their_text() -> None:
    result = legacy(ToolCallResult("m", "c", [TextPart("a"), IMAGE, TextPart("b")]))
    assert result == ToolCallResult("m", "c", "ab")


def test_messages_lose_what_the_era_cannot_hold() -> None:
    snapshot = legacy(
        MessagesSnapshot(
            [
                ToolMessage("t", "c", [TextPart("a"), IMAGE]),
                UserMessage("u", [TextPart("b"), FILE, IMAGE]),
                AssistantMessage(
                    "a", tool_calls=[ToolCall("c", FunctionCall("f", ""), encrypted_value_type="x")]
                ),
            ]
        )
    )
    assert snapshot == MessagesSnapshot(
        [
            ToolMessage("t", "c", "a"),
            UserMessage("u", [TextPart("b"), IMAGE]),
            AssistantMessage("a", tool_calls=[ToolCall("c", FunctionCall("f", ""))]),
        ]
    )


def test_the_echo_of_the_input_is_reshaped_too() -> None:
    input = RunAgentInput("t", "r", [ToolMessage("m", "c", [TextPart("a")])])
    started = legacy(RunStarted("t", "r", input=input))
    assert started.input.messages == [ToolMessage("m", "c", "a")]


def test_each_loss_is_told_once_a_run() -> None:
    notices: list[Notice] = []
    reshape = downgrade_for(UNSET, notices.append)
    assert reshape is not None
    for _ in range(3):
        reshape(ToolCallResult("m", "c", [TextPart("a"), IMAGE]))
    reshape(RunFinished("t", "r", outcome=CancelledOutcome()))
    assert [notice.path for notice in notices] == ["tool-result-parts", "cancelled"]


def test_everything_else_is_left_alone() -> None:
    event = TextMessageContent("m", "x")
    assert legacy(event) is event
