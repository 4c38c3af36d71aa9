"""Requests of Anthropic messages: strict turns, results first, thinking back in its place."""

import base64
from typing import Any

from msgspec import UNSET

from gateway.llm.arguments import object_of
from gateway.llm.history import AssistantTurn, Turn, UserTurn, parts_of, repair
from gateway.llm.model import OneTool, Request, Settings
from gateway.llm.providers.body import (
    check_tools,
    finished,
    fit_id,
    given,
    media_type,
    part_name,
    refuse,
    schema_of,
)
from gateway.llm.providers.layout import place
from gateway.protocol.messages import ToolCall, ToolMessage
from gateway.protocol.parts import (
    ContentPart,
    DataSource,
    DocumentPart,
    FileSource,
    ImagePart,
    TextPart,
    UrlSource,
)

Object = dict[str, Any]

CALL_ID = r"[A-Za-z0-9_-]{1,64}"
OURS = ("text", "tool_use", "tool_result", "image", "document")
"""Blocks that the visible history alone decides about; an opaque value cannot bring them in."""
START = "(The conversation starts here.)"


def anthropic_body(request: Request, model: str, provider: str, max_tokens: int) -> Object:
    """The body of `POST {base}/v1/messages`; raises ProviderError for what cannot be asked.

    `max_tokens` is the limit where the settings have none: the API demands one.
    """
    check_tools(provider, request)
    history = repair(request.messages, request.system)
    body: Object = {"model": model, "messages": _messages(history.turns, provider)}
    if history.system:
        body["system"] = history.system
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": schema_of(t)}
            for t in request.tools
        ]
        body |= _choice(request.settings)
    return finished(body | _settings(request.settings, provider, max_tokens), request)


def _choice(settings: Settings) -> Object:
    choice = settings.tool_choice
    serial = settings.parallel_tool_calls is False
    if choice is UNSET:
        return (
            {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}} if serial else {}
        )
    if isinstance(choice, OneTool):
        word: Object = {"type": "tool", "name": choice.name}
    else:
        word = {"type": "any" if choice == "required" else choice}
    if serial and choice != "none":
        word["disable_parallel_tool_use"] = True
    return {"tool_choice": word}


def _settings(settings: Settings, provider: str, max_tokens: int) -> Object:
    if settings.seed is not UNSET:
        refuse(provider, "/settings/seed", "this API has no seed")
    budget = settings.reasoning_tokens
    limit = max_tokens if settings.max_tokens is UNSET else settings.max_tokens
    if isinstance(budget, int) and settings.max_tokens is UNSET:
        limit = max(limit, budget + max_tokens)
    body: Object = {"max_tokens": limit, "stream": True}
    body |= given(
        temperature=settings.temperature,
        top_p=settings.top_p,
        stop_sequences=UNSET if settings.stop is UNSET else list(settings.stop),
    )
    if isinstance(budget, int):
        body["thinking"] = {"type": "enabled", "budget_tokens": budget}
    return body | _output(settings)


def _output(settings: Settings) -> Object:
    config = given(effort=settings.reasoning_effort)
    if settings.output_schema is not UNSET:
        config["format"] = {"type": "json_schema", "schema": dict(settings.output_schema)}
    return {"output_config": config} if config else {}


def _messages(turns: list[Turn], provider: str) -> list[Object]:
    """Roles take turns: neighbours of one role are merged, the user comes first."""
    messages: list[Object] = []
    for turn in turns:
        if isinstance(turn, UserTurn):
            _add(messages, "user", [_part(part, turn.at, provider) for part in turn.parts])
            continue
        _add(messages, "assistant", _assistant(turn))
        results = [_result(result, turn.at, provider) for result in turn.results]
        if results:
            _add(messages, "user", results)
    if not messages or messages[0]["role"] == "assistant":
        messages.insert(0, {"role": "user", "content": [{"type": "text", "text": START}]})
    _trim(messages[-1])
    return messages


def _add(messages: list[Object], role: str, content: list[Object]) -> None:
    if not content:
        return
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    else:
        messages.append({"role": role, "content": content})


def _trim(last: Object) -> None:
    """A final turn of the assistant must not end with blanks."""
    block = last["content"][-1]
    if last["role"] == "assistant" and block.get("type") == "text":
        block["text"] = block["text"].rstrip() or "."


def _assistant(turn: AssistantTurn) -> list[Object]:
    layout = turn.opaque.get("layout") if turn.opaque.get("format") == "anthropic" else None
    blocks: list[Object] = []
    for placed in place(layout, turn.text, turn.calls):
        if isinstance(placed, str):
            blocks += [{"type": "text", "text": placed}] if placed.strip() else []
        elif isinstance(placed, ToolCall):
            blocks.append(_call(placed))
        elif placed.get("type") not in OURS:
            blocks.append(placed)
    return blocks


def _call(call: ToolCall) -> Object:
    return {
        "type": "tool_use",
        "id": fit_id(call.id, CALL_ID, 24),
        "name": call.function.name,
        "input": object_of(call.function.arguments),
    }


def _result(result: ToolMessage, at: int, provider: str) -> Object:
    content: list[Object] = [_part(part, at, provider) for part in parts_of(result.content)]
    block: Object = {
        "type": "tool_result",
        "tool_use_id": fit_id(result.tool_call_id, CALL_ID, 24),
    }
    failed = isinstance(result.error, str)
    if content:
        block["content"] = content
    elif failed and result.error:
        block["content"] = [{"type": "text", "text": result.error}]
    return block | ({"is_error": True} if failed else {})


def _part(part: ContentPart, at: int, provider: str) -> Object:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if not isinstance(part, ImagePart | DocumentPart):
        refuse(provider, f"/messages/{at}", f"this API takes no {part_name(part)}")
    kind = "image" if isinstance(part, ImagePart) else "document"
    source = part.source
    if kind == "document" and media_type(source).startswith("text/"):
        return {"type": kind, "source": _plain(source)}
    return {"type": kind, "source": _source(source)}


def _plain(source: DataSource | UrlSource | FileSource) -> Object:
    """Inline text documents go as text; base64 is for PDF."""
    if not isinstance(source, DataSource):
        return _source(source)
    text = base64.b64decode(source.value).decode(errors="replace")
    return {"type": "text", "media_type": "text/plain", "data": text}


def _source(source: DataSource | UrlSource | FileSource) -> Object:
    if isinstance(source, UrlSource):
        return {"type": "url", "url": source.value}
    if isinstance(source, FileSource):
        return {"type": "file", "file_id": source.value}
    return {"type": "base64", "media_type": source.mime_type, "data": source.value}
