"""What a provider wants back goes back: from its answer, over a message, into the next request."""

import json
from typing import Any

import msgspec
import pytest

from gateway.llm.accumulator import Accumulator
from gateway.llm.model import Completion, Request
from gateway.llm.providers.anthropic_decoder import AnthropicDecoder
from gateway.llm.providers.anthropic_request import anthropic_body
from gateway.llm.providers.chat_decoder import ChatDecoder
from gateway.llm.providers.chat_request import chat_body
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.dialect import COMPATIBLE, DEEPSEEK, MISTRAL, OPENAI, OPENROUTER, Dialect
from gateway.llm.providers.ollama_decoder import OllamaDecoder
from gateway.llm.providers.ollama_request import ollama_body
from gateway.llm.providers.responses_decoder import ResponsesDecoder
from gateway.llm.providers.responses_request import responses_body
from gateway.protocol.messages import Message
from tests.llm.providers.requests import result, user

CALL = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}


def read(decoder: Decoder, body: object) -> Completion:
    accumulator = Accumulator()
    accumulator.extend(decoder.whole(json.dumps(body).encode()))
    assert decoder.failure is None
    return accumulator.completion()


def next_request(completion: Completion, *more: Message) -> Request:
    """The request after the tool has answered; the turn passes a client as JSON."""
    answers = [result(call.id, "12:00") for call in completion.tool_calls]
    sent = msgspec.json.decode(
        msgspec.json.encode(completion.message("a")), type=type(completion.message("a"))
    )
    return Request(messages=[user("Time?"), sent, *answers, *more])


def chat_answer(**message: Any) -> Completion:
    body = {"choices": [{"message": {"tool_calls": [CALL], **message}, "finish_reason": "x"}]}
    return read(ChatDecoder("p"), body)


def chat_turn(completion: Completion, dialect: Dialect, *more: Message) -> dict[str, Any]:
    turn: dict[str, Any] = chat_body(next_request(completion, *more), "m", dialect)["messages"][1]
    return turn


CONTENT = [
    {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "ZGF0YQ=="},
    {"type": "text", "text": "One moment."},
    {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
    {"type": "thinking", "thinking": "", "signature": "bGVlcg=="},
    {"type": "tool_use", "id": "c1", "name": "now", "input": {"zone": "UTC"}},
    {"type": "text", "text": " Done."},
]


def test_anthropic_blocks_go_back_unchanged_and_in_order() -> None:
    message = {"type": "message", "content": CONTENT, "stop_reason": "tool_use"}
    body = anthropic_body(next_request(read(AnthropicDecoder("p"), message)), "m", "p", 100)
    assert body["messages"][1]["content"] == CONTENT


def test_a_paused_turn_goes_back_as_it_is() -> None:
    message = {"type": "message", "content": CONTENT[3:5], "stop_reason": "pause_turn"}
    completion = read(AnthropicDecoder("p"), message)
    assert completion.finish_reason == "pause"
    body = anthropic_body(next_request(completion), "m", "p", 100)
    assert body["messages"][1] == {"role": "assistant", "content": CONTENT[3:5]}


def test_thinking_without_a_signature_is_not_sent_back() -> None:
    content = [
        {"type": "thinking", "thinking": "x", "signature": ""},
        {"type": "text", "text": "y"},
    ]
    completion = read(AnthropicDecoder("p"), {"type": "message", "content": content})
    assert (completion.reasoning, completion.opaque) == ("x", None)


def test_a_changed_history_wins_over_the_layout() -> None:
    message = {"type": "message", "content": CONTENT, "stop_reason": "tool_use"}
    turn = read(AnthropicDecoder("p"), message).message("a")
    changed = msgspec.structs.replace(turn, content="New text", tool_calls=msgspec.UNSET)
    body = anthropic_body(Request(messages=[user("?"), changed]), "m", "p", 100)
    blocks = body["messages"][1]["content"]
    assert "".join(b["text"] for b in blocks if b["type"] == "text") == "New text"
    assert not [b for b in blocks if b["type"] == "tool_use"]


@pytest.mark.parametrize("kind", ["text", "tool_use", "tool_result", "image"])
def test_an_opaque_value_cannot_bring_in_visible_blocks(kind: str) -> None:
    forged = msgspec.json.encode({"format": "anthropic", "layout": [{"type": kind}]}).decode()
    turn = msgspec.structs.replace(Completion(text="x").message("a"), encrypted_value=forged)
    body = anthropic_body(Request(messages=[user("?"), turn, user("!")]), "m", "p", 100)
    assert body["messages"][1]["content"] == [{"type": "text", "text": "x"}]


def test_encrypted_reasoning_items_go_back_before_their_call() -> None:
    reasoning = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "ZQ=="}
    call = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "now", "arguments": "{}"}
    output = [reasoning, call]
    completion = read(ResponsesDecoder("p"), {"status": "completed", "output": output})
    items = responses_body(next_request(completion), "m", "p")["input"]
    assert items[1] == reasoning
    assert items[2]["call_id"] == items[3]["call_id"] == "c1"


def test_reasoning_details_go_back_merged_to_openrouter_only() -> None:
    details = [
        {"type": "reasoning.text", "text": "We", "index": 0, "signature": None},
        {"type": "reasoning.encrypted", "data": "ZQ==", "index": 0},
        {"type": "reasoning.text", "text": " see", "index": 0, "signature": "s"},
    ]
    completion = chat_answer(reasoning_details=details)
    assert completion.reasoning == "We see"
    assert chat_turn(completion, OPENROUTER)["reasoning_details"] == [
        {"type": "reasoning.text", "text": "We see", "index": 0, "signature": "s"},
        details[1],
    ]
    assert "reasoning_details" not in chat_turn(completion, DEEPSEEK)


def test_reasoning_content_goes_back_during_tool_work_only() -> None:
    completion = chat_answer(reasoning_content="hm")
    assert chat_turn(completion, DEEPSEEK)["reasoning_content"] == "hm"
    assert "reasoning_content" not in chat_turn(completion, DEEPSEEK, user("thanks"))
    assert "reasoning_content" not in chat_turn(completion, OPENAI)


def test_thinking_of_mistral_goes_back_as_a_part() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    completion = chat_answer(content=[thinking, {"type": "text", "text": "ok"}])
    turn = chat_turn(completion, MISTRAL)
    assert turn["content"] == [thinking, {"type": "text", "text": "ok"}]


def test_marks_on_calls_go_back_with_their_call() -> None:
    marked = {**CALL, "extra_content": {"google": {"thought_signature": "s"}}}
    turn = chat_turn(chat_answer(tool_calls=[marked]), COMPATIBLE)
    assert turn["tool_calls"][0]["extra_content"] == marked["extra_content"]


def test_thinking_of_ollama_goes_back_with_calls_that_have_our_id() -> None:
    call = {"function": {"name": "now", "arguments": {"zone": "UTC"}}}
    message = {"content": "", "thinking": "hm", "tool_calls": [call]}
    body = {"message": message, "done": True, "done_reason": "stop"}
    completion = read(OllamaDecoder("p"), body)
    sent = ollama_body(next_request(completion), "m", "p")["messages"]
    assert sent[1]["thinking"] == "hm"
    assert sent[1]["tool_calls"][0]["function"] == call["function"]
    assert sent[2]["tool_name"] == "now"


def test_another_provider_does_not_get_it() -> None:
    message = {"type": "message", "content": CONTENT, "stop_reason": "tool_use"}
    completion = read(AnthropicDecoder("p"), message)
    turn = chat_turn(completion, OPENAI)
    assert set(turn) == {"role", "content", "tool_calls"}
    assert turn["content"] == "One moment. Done."
