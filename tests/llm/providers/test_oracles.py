"""The official SDKs take our request bodies: every member known, every value of its type."""

import json
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from gateway.llm.model import Request, Settings
from gateway.llm.providers.anthropic_request import anthropic_body
from gateway.llm.providers.chat_request import chat_body
from gateway.llm.providers.dialect import OPENAI
from gateway.llm.providers.responses_request import responses_body
from gateway.protocol.messages import UserMessage
from tests.llm.providers.requests import REQUESTS, VOICE, tool_work

THINKING = {
    "format": "anthropic",
    "layout": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eHg="},
        3,
        "c1",
        "c2",
    ],
}
REASONING = {
    "format": "responses",
    "layout": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"},
        3,
        "c1",
        "c2",
    ],
}


def sent_by(client: Any, path: str, body: dict[str, Any]) -> Any:
    """What an SDK puts on the wire when it is called with the members of a body."""
    call = client
    for step in path.split("."):
        call = getattr(call, step)
    call(**body)
    return SENT.pop()


SENT: list[Any] = []


def _keep(request: httpx2.Request) -> httpx2.Response:
    SENT.append(json.loads(request.content))
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=b"")


TRANSPORT = httpx2.Client(transport=httpx2.MockTransport(_keep))
OPENAI_SDK = openai.OpenAI(api_key="k", http_client=TRANSPORT)
ANTHROPIC_SDK = anthropic.Anthropic(api_key="k", http_client=TRANSPORT)

CHAT = TypeAdapter(CompletionCreateParamsStreaming)
RESPONSES = TypeAdapter(ResponseCreateParamsStreaming)
MESSAGES = TypeAdapter(MessageCreateParamsStreaming)

UNKNOWN_TO_ANTHROPIC = ("temperature", "top_p")
"""Sampling settings that the API takes for older models and the SDK names no more."""

EXTRA = {
    "thinking": Request(messages=tool_work(THINKING), settings=Settings(reasoning_tokens=2048)),
    "reasoning": Request(messages=tool_work(REASONING)),
}
SPOKEN = {"voice": Request(messages=[UserMessage(id="u", content=[VOICE])])}


def validate(adapter: TypeAdapter[Any], body: dict[str, Any]) -> None:
    """Validate; iterables are lazy, so that they are walked too."""
    json.dumps(adapter.validate_python(body), default=list)


@pytest.mark.parametrize("name", [*REQUESTS, *EXTRA, *SPOKEN])
def test_openai_takes_chat_bodies(name: str) -> None:
    body = chat_body({**REQUESTS, **EXTRA, **SPOKEN}[name], "gpt-5-mini", OPENAI)
    validate(CHAT, body)
    assert sent_by(OPENAI_SDK, "chat.completions.create", body) == body


@pytest.mark.parametrize("name", [n for n in (*REQUESTS, *EXTRA) if n != "one tool"])
def test_openai_takes_responses_bodies(name: str) -> None:
    body = responses_body({**REQUESTS, **EXTRA}[name], "gpt-5-mini", "openai")
    validate(RESPONSES, body)
    assert sent_by(OPENAI_SDK, "responses.create", body) == body


@pytest.mark.parametrize("name", [*REQUESTS, *EXTRA])
def test_anthropic_takes_our_bodies(name: str) -> None:
    body = anthropic_body({**REQUESTS, **EXTRA}[name], "claude-haiku-4-5", "anthropic", 1000)
    validate(MESSAGES, body)
    known = {key: value for key, value in body.items() if key not in UNKNOWN_TO_ANTHROPIC}
    assert sent_by(ANTHROPIC_SDK, "messages.create", known) == known


def test_the_oracle_notices_a_member_that_nobody_knows() -> None:
    with pytest.raises(TypeError, match="colour"):
        sent_by(OPENAI_SDK, "chat.completions.create", {"model": "m", "messages": [], "colour": 1})
