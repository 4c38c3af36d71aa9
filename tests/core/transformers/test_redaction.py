"""RedactText finds every match, wherever the deltas are cut."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import TransformerError
from gateway.protocol.events import (
    MessagesSnapshot,
    RunError,
    TextMessageChunk,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
)
from gateway.protocol.messages import AssistantMessage, ToolMessage
from gateway_native.transformers.chunk_expansion import ExpandChunks
from gateway_native.transformers.redaction import RedactText
from tests.core.streams import brief, sent, started

PATTERNS = [r"\bsk-[a-z0-9]{4,8}\b", r"(?<=card )\d{4}", "비밀"]


def redacted(deltas: list[str], **settings: int) -> list[str]:
    stream = started(RedactText(PATTERNS, "#", **settings))
    stream.emit(TextMessageStart("m"))
    for delta in deltas:
        stream.text("m", delta)
    stream.emit(TextMessageEnd("m"))
    return [event["delta"] for event in sent(stream) if "delta" in event]


def test_a_match_within_a_delta_is_replaced() -> None:
    assert "".join(redacted(["key sk-abcd1234, card 1234 비밀."])) == "key #, card # #."


def test_a_match_across_deltas_is_replaced() -> None:
    assert "".join(redacted(list("key sk-abcd1234, card 1234 비밀."))) == "key #, card # #."


def test_text_lags_behind_by_the_longest_match_only() -> None:
    out = redacted(["x" * 100, "y" * 100], longest=20)
    assert [len(delta) for delta in out] == [80, 100, 20]


def test_word_boundaries_see_what_has_been_sent() -> None:
    text = "x" * 50 + "sk-abcd1234"
    assert "".join(redacted(list(text), longest=20)) == text


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(["sk-", "abcd", "12", "card ", "1234", "비", "밀", " ", "x", "é“", ""]),
        max_size=40,
    )
)
def test_cut_text_is_redacted_as_whole_text_is(deltas: list[str]) -> None:
    whole = re.sub("|".join(f"(?:{pattern})" for pattern in PATTERNS), "#", "".join(deltas))
    assert "".join(redacted(deltas, longest=20)) == whole


def test_messages_do_not_mix() -> None:
    stream = started(RedactText(["secret"], "#"))
    stream.emit(TextMessageStart("a"))
    stream.emit(TextMessageStart("b"))
    for delta in ("sec", "ret"):
        stream.text("a", delta)
        stream.text("b", delta[::-1])
    stream.emit(TextMessageEnd("a"))
    stream.emit(TextMessageEnd("b"))
    assert brief(stream)[2:] == [
        "TEXT_MESSAGE_CONTENT a #",
        "TEXT_MESSAGE_END a",
        "TEXT_MESSAGE_CONTENT b cester",
        "TEXT_MESSAGE_END b",
    ]


def test_metadata_passes_and_the_raw_event_does_not() -> None:
    stream = started(RedactText(["secret"]))
    stream.emit(TextMessageStart("m"))
    stream.emit(TextMessageContent("m", "secret", metadata={"k": 1}, raw_event="secret"))
    content = sent(stream)[1]
    assert content["metadata"] == {"k": 1}
    assert "rawEvent" not in content


def test_a_run_that_fails_sends_what_was_held() -> None:
    stream = started(RedactText(["secret"], "#"))
    stream.emit(TextMessageStart("m", subagent_run_id="s"))
    stream.text("m", "a secret")
    stream.end(RunError("failed"))
    assert brief(stream)[1] == "TEXT_MESSAGE_CONTENT m a #"


def test_snapshots_are_redacted() -> None:
    stream = started(RedactText(["secret"], "#"))
    stream.emit(
        MessagesSnapshot(
            [AssistantMessage("a", "a secret"), AssistantMessage("b"), ToolMessage("c", "k", "x")]
        )
    )
    assert [m.get("content") for m in sent(stream)[0]["messages"]] == ["a #", None, "x"]


def test_chunks_must_be_expanded_before() -> None:
    stream = started(RedactText(["secret"]))
    with pytest.raises(TransformerError):
        stream.emit(TextMessageChunk("m", delta="secret"))
    stream = started(ExpandChunks(), RedactText(["secret"], "#"))
    stream.emit(TextMessageChunk("m", delta="sec"))
    stream.emit(TextMessageChunk(delta="ret"))
    stream.emit(TextMessageChunk("n", delta="!"))
    assert brief(stream)[1] == "TEXT_MESSAGE_CONTENT m #"


def test_patterns_must_be_several_and_right() -> None:
    with pytest.raises(ValueError, match="list"):
        RedactText("secret")
    with pytest.raises(re.error):
        RedactText(["("])
