"""One run's output: order, frames, deltas, bounds."""

import json
import random

import pytest

from gateway.errors import EncodeError, LimitError, OrderingError
from gateway.protocol.encoder import encode_json
from gateway.protocol.events import (
    Custom,
    Event,
    ReasoningMessageContent,
    ReasoningMessageStart,
    RunError,
    RunFinished,
    StateSnapshot,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallStart,
)
from gateway_native.chain import Chain, Transformer
from gateway_native.stream import EVENTS, FRAMES, RunStream
from gateway_native.verifier import Verifier
from tests.core.streams import brief, sent, started


def test_events_and_deltas_leave_in_order_as_frames() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    stream.text("m", "b\n")
    stream.emit(TextMessageContent("m", "c"))
    stream.close_open(False)
    stream.end(RunFinished("t", "r"))
    assert stream.flush() == (
        b'data: {"type":"TEXT_MESSAGE_START","messageId":"m"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b\\n"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"c"}\n\n'
        b'data: {"type":"TEXT_MESSAGE_END","messageId":"m"}\n\n'
        b'data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n\n'
    )
    assert stream.flush() == b""


def test_deltas_of_several_blocks_may_be_mixed() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.emit(ToolCallStart("m", "search"))
    stream.emit(ReasoningMessageStart("m"))
    stream.flush()
    stream.text("m", "1")
    stream.args("m", "2")
    stream.args("m", "3")
    stream.reasoning("m", "4")
    stream.text("".join(["m"]), "5")
    assert brief(stream) == [
        "TEXT_MESSAGE_CONTENT m 1",
        "TOOL_CALL_ARGS m 2",
        "TOOL_CALL_ARGS m 3",
        "REASONING_MESSAGE_CONTENT m 4",
        "TEXT_MESSAGE_CONTENT m 5",
    ]


DELTAS = ["", "x", "é한“", "\u2028\u2029\x85", '"\\\n\x00', "\ud83d", "y" * 5000]


def random_content(rng: random.Random) -> TextMessageContent | ToolCallArgs:
    delta = rng.choice(DELTAS)
    way = rng.randrange(8)
    if way == 0:
        return ToolCallArgs("c", delta)
    if way == 1:
        return TextMessageContent("b", delta, subagent_run_id="s")
    if way == 2:
        return TextMessageContent("a", "with metadata", metadata={"k": 1})
    return TextMessageContent("a" if way > 3 else "b", delta)


@pytest.mark.parametrize("seed", range(30))
def test_all_ways_of_emitting_give_the_same_bytes_as_the_encoder(seed: int) -> None:
    rng = random.Random(seed)
    stream = started()
    stream.emit(TextMessageStart("a"))
    stream.emit(TextMessageStart("b", subagent_run_id="s"))
    stream.emit(ToolCallStart("c", "search"))
    stream.flush()
    expected = out = b""
    for _ in range(600):
        event = random_content(rng)
        expected += b"data: " + encode_json(event) + b"\n\n"
        if event == TextMessageContent("a", event.delta) and rng.random() < 0.5:
            stream.text("a", event.delta)
        else:
            stream.emit(event)
        if rng.random() < 0.02:
            out += stream.flush()
    assert out + stream.flush() == expected
    assert all(separator not in expected.decode() for separator in "\u2028\u2029\x85")
    assert stream.events == 604


def test_a_refused_event_changes_nothing() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    for refused in (TextMessageStart("m"), TextMessageEnd("x"), TextMessageContent("x", "?")):
        with pytest.raises(OrderingError):
            stream.emit(refused)
    with pytest.raises(OrderingError, match="not-open"):
        stream.text("x", "?")
    stream.text("m", "a")
    assert brief(stream) == ["TEXT_MESSAGE_START m", "TEXT_MESSAGE_CONTENT m a"]


def test_an_ended_block_takes_no_more_deltas() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    stream.emit(TextMessageContent("m", "b"))
    stream.emit(TextMessageEnd("m"))
    with pytest.raises(OrderingError, match="not-open"):
        stream.text("m", "c")
    with pytest.raises(OrderingError, match="not-open"):
        stream.emit(TextMessageContent("m", "c"))


@pytest.mark.parametrize("delta", [b"bytes", None, 3])
def test_a_delta_that_is_no_text_is_refused(delta: object) -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    for _ in range(2):
        with pytest.raises(TypeError):
            stream.text("m", delta)  # type: ignore[arg-type]
        stream.text("m", "a")
    with pytest.raises(OrderingError, match="malformed"):
        stream.emit(TextMessageContent("m", delta))  # type: ignore[arg-type]


def test_a_subclass_of_str_is_text() -> None:
    class Markup(str):
        __slots__ = ()

    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", Markup("a"))
    stream.text("m", Markup("b"))
    assert [event["delta"] for event in sent(stream)[1:]] == ["a", "b"]


def test_open_json_is_encoded_before_its_author_changes_it() -> None:
    stream = started()
    state = {"n": 1}
    stream.emit(StateSnapshot(state))
    state["n"] = 2
    assert sent(stream)[0]["snapshot"] == {"n": 1}


def test_metadata_is_encoded_before_its_author_changes_it() -> None:
    stream = started()
    metadata = {"n": 1}
    stream.emit(TextMessageStart("m", metadata=metadata))
    stream.emit(TextMessageContent("m", "a", metadata=metadata))
    metadata["n"] = 2
    with pytest.raises(EncodeError):
        stream.emit(TextMessageContent("m", "a", metadata={"n": object()}))
    assert [event["metadata"] for event in sent(stream)] == [{"n": 1}] * 2


def test_an_event_that_cannot_be_encoded_changes_nothing() -> None:
    stream = started()
    with pytest.raises(Exception, match="object"):
        stream.emit(RunFinished("t", "r", {"value": object()}))
    stream.end(RunFinished("t", "r"))
    assert brief(stream) == ["RUN_FINISHED"]


def test_nothing_follows_the_terminal_event() -> None:
    stream = started()
    stream.end(RunError("broken"))
    for refused in (RunError("again"), RunFinished("t", "r"), TextMessageEnd("m")):
        with pytest.raises(OrderingError, match="run-ended"):
            stream.emit(refused)
    with pytest.raises(OrderingError, match="run-ended"):
        stream.end(RunError("again"))
    with pytest.raises(OrderingError, match="run-ended"):
        stream.text("m", "a")
    assert brief(stream) == ["RUN_ERROR"]


def test_stop_refuses_everything_but_the_end() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    stream.stop(KeyError("stopped"))
    for _ in range(2):
        with pytest.raises(KeyError):
            stream.text("m", "b")
        with pytest.raises(KeyError):
            stream.emit(Custom("c", None))
    stream.close_open(True)
    stream.end(RunError("stopped"))
    assert brief(stream)[1:] == ["TEXT_MESSAGE_CONTENT m a", "TEXT_MESSAGE_END m", "RUN_ERROR"]


def test_on_pending_is_called_once_until_the_flush() -> None:
    stream = started()
    calls: list[int] = []
    stream.on_pending = lambda: calls.append(1)
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    assert (len(calls), stream.pending) == (1, True)
    stream.flush()
    assert not stream.pending
    stream.close_open(False)
    stream.close_open(False)
    assert len(calls) == 2


def test_a_reference_to_the_refusal_does_not_grow() -> None:
    stream = started()
    error = KeyError("stopped")
    stream.stop(error)
    for _ in range(3):
        with pytest.raises(KeyError):
            stream.emit(Custom("c", None))
    depth = 0
    trace = error.__traceback__
    while trace is not None:
        depth, trace = depth + 1, trace.tb_next
    assert depth <= 3


def test_events_can_be_taken_instead_of_bytes() -> None:
    stream = started(mode=EVENTS)
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    assert stream.take_events()[1:] == [TextMessageStart("m"), TextMessageContent("m", "a")]
    assert stream.take_events() == []
    with pytest.raises(TypeError):
        stream.flush()


def test_any_encoding_of_events_can_be_had() -> None:
    def line(event: Event) -> bytes:
        return encode_json(event) + b"\n"

    stream = RunStream(Chain([]), Verifier(), FRAMES, line)
    stream.emit(RunError("lone"))
    assert json.loads(stream.flush())["message"] == "lone"


@pytest.mark.parametrize("text", [True, False])
def test_a_bound_on_events_is_exact(text: bool) -> None:
    stream = started(max_events=5)
    stream.emit(TextMessageStart("m"))
    for _ in range(3):
        stream.text("m", "a") if text else stream.emit(Custom("c", None))
    with pytest.raises(LimitError):
        stream.text("m", "a")
    with pytest.raises(LimitError):
        stream.emit(TextMessageContent("m", "a"))
    stream.close_open(True)
    stream.end(RunError("too much"))
    assert len(sent(stream)) == 6


def test_a_bound_on_bytes_counts_what_was_encoded() -> None:
    stream = started(max_bytes=20_000)
    stream.emit(TextMessageStart("m"))
    for _ in range(4):
        stream.text("m", "x" * 5000)
    with pytest.raises(LimitError, match="bytes"):
        stream.text("m", "x")
    assert stream.total_bytes > 20_000


def test_what_waits_for_the_viewer_is_bounded() -> None:
    stream = started(max_pending=10_000)
    stream.emit(TextMessageStart("m"))
    stream.text("m", "x" * 5000)
    stream.flush()
    stream.text("m", "x" * 5000)
    assert stream.pending_bytes > 5000
    stream.text("m", "x" * 5000)
    with pytest.raises(LimitError, match="viewer"):
        stream.emit(Custom("c", None))


def test_a_watcher_hears_of_state_and_calls() -> None:
    stream = started(Transformer())
    heard: list[str] = []
    stream.on_event = lambda event: heard.append(event.type)
    stream.emit(StateSnapshot(None))
    stream.emit(Custom("c", None))
    stream.emit(ToolCallStart("c", "search"))
    assert heard == ["STATE_SNAPSHOT", "TOOL_CALL_START"]


def test_reasoning_content_is_not_confused_with_text_of_the_same_id() -> None:
    stream = started()
    stream.emit(TextMessageStart("m"))
    stream.text("m", "a")
    with pytest.raises(OrderingError, match="not-open"):
        stream.reasoning("m", "b")
    with pytest.raises(OrderingError, match="not-open"):
        stream.emit(ReasoningMessageContent("m", "b"))
