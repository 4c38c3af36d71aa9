"""Odd answers that no recording holds."""

import json
from typing import Any

import pytest

from gateway.llm.accumulator import Accumulator
from gateway.llm.model import CallEnd, CallStart, Completion, Delta, ReasoningDelta, TextDelta
from gateway.llm.providers.anthropic_decoder import AnthropicDecoder
from gateway.llm.providers.chat_decoder import ChatDecoder
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.ollama_decoder import OllamaDecoder
from gateway.protocol.base import UNSET
from tests.llm.providers.upstream import frame

DONE = b"data: [DONE]\n\n"


def stream(decoder: Decoder, data: bytes) -> tuple[list[Delta], Completion]:
    deltas = [*decoder.feed(data), *decoder.finish()]
    accumulator = Accumulator()
    accumulator.extend(deltas)
    return deltas, accumulator.completion()


def chat(*choices: dict[str, Any], done: bool = True, **chunk: Any) -> Completion:
    data = b"".join(frame({"choices": [choice], **chunk}) for choice in choices)
    decoder = ChatDecoder("p")
    _, completion = stream(decoder, data + (DONE if done else b""))
    assert decoder.failure is None, decoder.failure
    return completion


def said(**delta: Any) -> dict[str, Any]:
    return {"index": 0, "delta": delta}


def ended(reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": {}, "finish_reason": reason}


@pytest.mark.parametrize("member", ["reasoning", "reasoning_content", "thinking"])
def test_reasoning_under_any_name_is_reasoning(member: str) -> None:
    completion = chat(said(**{member: "hm", "content": ""}), said(content="hi"), ended("stop"))
    assert (completion.reasoning, completion.text) == ("hm", "hi")


def test_reasoning_told_twice_is_shown_once() -> None:
    details = [{"type": "reasoning.text", "text": "hm"}]
    completion = chat(said(reasoning="hm", reasoning_details=details), ended("stop"))
    assert completion.reasoning == "hm"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("stop", "stop"), ("eos", "stop"), ("end_turn", "stop"), ("content_filter", "content_filter"),
     ("length", "length"), ("MAX_TOKENS", "length"), ("tool_calls", "stop"), ("odd", "unknown")],
)  # fmt: skip
def test_words_for_the_end(raw: str, reason: str) -> None:
    empty = {"index": 0, "delta": {"content": "a"}, "finish_reason": ""}
    completion = chat(empty, empty, ended(raw))
    assert (completion.finish_reason, completion.finish_raw) == (reason, raw)
    assert completion.text == "aa"


@pytest.mark.parametrize("raw", ["stop", None, "function_call", "odd"])
def test_calls_make_an_ordinary_end_a_tool_turn(raw: str | None) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
    assert chat(said(tool_calls=[call]), ended(raw)).finish_reason == "tool_calls"


def test_usage_is_the_last_one_and_null_says_nothing() -> None:
    usage = [None, {"prompt_tokens": 3, "completion_tokens": 1},
             {"prompt_tokens": 3, "completion_tokens": 2}, None]  # fmt: skip
    data = b"".join(frame({"choices": [said(content="a")], "usage": u}) for u in usage)
    _, completion = stream(ChatDecoder("p"), data + frame({"choices": [ended("stop")]}) + DONE)
    assert completion.usage is not None
    assert (completion.usage.output_tokens, completion.usage.total_tokens) == (2, 5)
    assert completion.usage.reasoning_tokens is UNSET
    assert chat(said(content="a"), ended("stop")).usage is None


def test_a_chunk_without_choices_is_skipped() -> None:
    data = frame({"prompt_filter_results": []}) + frame({"choices": [], "usage": None})
    _, completion = stream(ChatDecoder("p"), data + frame({"choices": [ended("stop")]}))
    assert completion.finish_reason == "stop"


def test_equal_counts_of_two_apis_are_equal_usage() -> None:
    openai = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    }
    anthropic = {
        "input_tokens": 30,
        "output_tokens": 7,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 10,
    }
    message = {"type": "message", "content": [], "stop_reason": "end_turn", "usage": anthropic}
    accumulator = Accumulator()
    accumulator.extend(AnthropicDecoder("p").whole(json.dumps(message).encode()))
    ours = chat(ended("stop"), usage=openai).usage
    assert accumulator.completion().usage == ours


@pytest.mark.parametrize("cut", [["\\ud83d", "\\ude00"], ["a\\ud83d", "\\ude00b"]])
def test_a_character_cut_in_two_escapes_is_joined(cut: list[str]) -> None:
    pieces = b"".join(
        b'data: {"choices":[{"delta":{"content":"%b"}}]}\n\n' % p.encode() for p in cut
    )
    deltas, completion = stream(ChatDecoder("p"), pieces + frame({"choices": [ended("stop")]}))
    assert completion.text.strip("ab") == "\N{GRINNING FACE}"
    for delta in deltas:
        if isinstance(delta, TextDelta):
            delta.text.encode()


def test_half_a_character_at_the_end_becomes_a_mark() -> None:
    data = b'data: {"choices":[{"delta":{"content":"x\\ud83d"},"finish_reason":"stop"}]}\n\n'
    _, completion = stream(ChatDecoder("p"), data)
    assert completion.text == "x\N{REPLACEMENT CHARACTER}"


def test_arguments_as_an_object_are_text_once() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}
    (read,) = chat(said(tool_calls=[call]), ended("stop")).tool_calls
    assert (read.text, read.arguments) == ('{"x":1}', {"x": 1})


def test_a_half_built_call_never_runs() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"path":"/et'}}
    decoder = ChatDecoder("p")
    stream(decoder, frame({"choices": [said(tool_calls=[call])]}))
    assert decoder.failure is not None
    assert decoder.failure.code == "PROVIDER_TRUNCATED"
    assert [c.executable for c in decoder.failure.partial.tool_calls] == [False]


def test_overload_inside_an_anthropic_stream_keeps_the_text() -> None:
    decoder = AnthropicDecoder("p")
    start = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 5}}}
    delta = {"type": "text_delta", "text": "Hel"}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    deltas, _ = stream(
        decoder,
        frame(start) + frame({"type": "content_block_delta", "index": 0, "delta": delta})
        + frame(error),
    )  # fmt: skip
    assert decoder.failure is not None
    assert (decoder.failure.kind, decoder.failure.code) == ("overloaded", "OVERLOADED")
    assert decoder.failure.partial.text == "Hel"
    assert decoder.failure.partial.usage.input_tokens == 5
    assert TextDelta("Hel") in deltas


def test_ollama_calls_without_ids_get_ids_that_no_other_answer_has() -> None:
    line = {"message": {"tool_calls": [{"function": {"name": "f", "arguments": {}}}] * 2}}
    data = json.dumps(line).encode() + b"\n" + json.dumps({"done": True}).encode() + b"\n"
    ids = set()
    for _ in range(2):
        deltas, completion = stream(OllamaDecoder("p"), data)
        ids |= {call.id for call in completion.tool_calls}
        assert [type(d) for d in deltas if isinstance(d, CallStart | CallEnd)] == [
            CallStart,
            CallEnd,
        ] * 2
    assert len(ids) == 4


def test_line_separators_inside_strings_are_text() -> None:
    text = "a\u2028b\u2029c\x85d"
    line = json.dumps({"message": {"content": text}, "done": True}, ensure_ascii=False).encode()
    assert stream(OllamaDecoder("p"), line + b"\n")[1].text == text


def test_no_delta_is_empty() -> None:
    data = [said(role="assistant", content=""), said(content=None), said(reasoning=""), said()]
    frames = b"".join(frame({"choices": [d], "obfuscation": "xx"}) for d in data)
    deltas, _ = stream(ChatDecoder("p"), frames + frame({"choices": [ended("stop")]}))
    assert not [d for d in deltas if isinstance(d, TextDelta | ReasoningDelta)]


def test_a_frame_that_never_ends_is_bounded() -> None:
    decoder = ChatDecoder("p")
    for _ in range(12):
        decoder.feed(b"data: " + b"x" * 1024 * 1024)
    assert decoder.failure is not None
    assert decoder.failure.kind == "malformed_response"
