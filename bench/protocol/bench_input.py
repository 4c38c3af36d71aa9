"""Decoding a `RunAgentInput` of 200 messages from JSON, against the official SDK's models.

Timed: bytes to typed input, nothing else; one thread of user and assistant text, tool calls and
results, with the state and tools of an ordinary application. The ratio is asserted from one run.
"""

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from ag_ui.core import RunAgentInput
from pytest_benchmark.fixture import BenchmarkFixture

from gateway.protocol.input_decoder import decode_input

LEAST_RATIO = 4


def _turn(index: int) -> list[dict[str, Any]]:
    call = {
        "id": f"call-{index}",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query":"the weather in Seoul","limit":5}'},
    }
    return [
        {"id": f"u-{index}", "role": "user", "content": f"Question {index}: what is new?"},
        {"id": f"a-{index}", "role": "assistant", "toolCalls": [call]},
        {
            "id": f"t-{index}",
            "role": "tool",
            "toolCallId": f"call-{index}",
            "content": "Sunny. " * 8,
        },
        {"id": f"r-{index}", "role": "assistant", "content": "It is sunny in Seoul today. " * 4},
    ]


def _body() -> bytes:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tools = [{"name": f"t{n}", "description": "A tool", "parameters": schema} for n in range(8)]
    return msgspec.json.encode(
        {
            "threadId": "thread-1",
            "runId": "run-1",
            "protocolVersion": "1.0",
            "state": {"items": [{"id": n, "title": f"Item {n}", "done": False} for n in range(50)]},
            "messages": [message for index in range(50) for message in _turn(index)],
            "tools": tools,
            "context": [{"description": "user", "value": "Kim"}],
            "forwardedProps": {"model": "large"},
        }
    )


BODY = _body()


def _official(body: bytes) -> RunAgentInput:
    return RunAgentInput.model_validate_json(body)


@pytest.mark.parametrize("decode", [decode_input, _official], ids=["ours", "official"])
def test_decode(benchmark: BenchmarkFixture, decode: Callable[[bytes], object]) -> None:
    benchmark.extra_info["bytes"] = len(BODY)
    benchmark(decode, BODY)


def test_ratio() -> None:
    ours, official = _best(decode_input), _best(_official)
    assert official / ours >= LEAST_RATIO, f"{official / ours:.1f} times as fast"


def _best(decode: Callable[[bytes], object]) -> float:
    """The fastest of 30 calls, in seconds."""
    times: list[float] = []
    for _ in range(30):
        start = time.perf_counter()
        decode(BODY)
        times.append(time.perf_counter() - start)
    return min(times)
