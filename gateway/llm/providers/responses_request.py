"""Requests of OpenAI's Responses API: items, and nothing stored at the provider."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from gateway.llm.history import AssistantTurn, UserTurn, parts_of, repair, text_of
from gateway.llm.model import OneTool, Request, Settings
from gateway.llm.providers.body import (
    check_tools,
    data_url,
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
)

Object = dict[str, Any]
CALL_ID = r".{1,64}"


def responses_body(request: Request, model: str, provider: str) -> Object:
    """The body of `POST {base}/responses`; raises ProviderError for what cannot be asked.

    Reasoning comes back encrypted and is sent again with the next request, so that no state is kept
    at the provider (`store` is false).
    """
    check_tools(provider, request)
    history = repair(request.messages, request.system)
    items: list[Object] = []
    for turn in history.turns:
        items += _user(turn, provider) if isinstance(turn, UserTurn) else _turn(turn, provider)
    body: Object = {"model": model, "input": items}
    if history.system:
        body["instructions"] = history.system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        body |= _choice(request.settings)
    body |= _settings(request.settings, provider)
    body |= {"store": False, "include": ["reasoning.encrypted_content"], "stream": True}
    return finished(body, request)


def _tool(tool: Any) -> Object:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema_of(tool),
        "strict": False,
    }


def _choice(settings: Settings) -> Object:
    choice: Any = settings.tool_choice
    if isinstance(choice, OneTool):
        choice = {"type": "function", "name": choice.name}
    return given(tool_choice=choice, parallel_tool_calls=settings.parallel_tool_calls)


def _settings(settings: Settings, provider: str) -> Object:
    for name in ("stop", "seed"):
        if getattr(settings, name) is not UNSET:
            refuse(provider, f"/settings/{name}", "the Responses API has no such setting")
    body = given(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_output_tokens=settings.max_tokens,
    )
    if settings.reasoning_effort is not UNSET:
        body["reasoning"] = {"effort": settings.reasoning_effort, "summary": "auto"}
    if settings.output_schema is not UNSET:
        schema = dict(settings.output_schema)
        body["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": schema}}
    return body


def _user(turn: UserTurn, provider: str) -> list[Object]:
    if all(isinstance(part, TextPart) for part in turn.parts):
        return [{"role": "user", "content": text_of(turn.parts)}]
    return [{"role": "user", "content": [_part(part, turn.at, provider) for part in turn.parts]}]


def _turn(turn: AssistantTurn, provider: str) -> Iterator[Object]:
    layout = turn.opaque.get("layout") if turn.opaque.get("format") == "responses" else None
    for placed in place(layout, turn.text, turn.calls):
        if isinstance(placed, str):
            yield {"role": "assistant", "content": placed}
        elif isinstance(placed, ToolCall):
            yield {
                "type": "function_call",
                "call_id": fit_id(placed.id, CALL_ID, 24),
                "name": placed.function.name,
                "arguments": placed.function.arguments.strip() or "{}",
            }
        elif placed.get("type") == "reasoning":
            yield {key: value for key, value in placed.items() if key != "status"}
    for result in turn.results:
        yield _result(result, turn.at, provider)


def _result(result: ToolMessage, at: int, provider: str) -> Object:
    parts = parts_of(result.content)
    output: str | list[Object] = text_of(parts)
    if not all(isinstance(part, TextPart) for part in parts):
        output = [_part(part, at, provider) for part in parts]
    if not output and isinstance(result.error, str):
        output = result.error
    id = fit_id(result.tool_call_id, CALL_ID, 24)
    return {"type": "function_call_output", "call_id": id, "output": output}


def _part(part: ContentPart, at: int, provider: str) -> Object:
    if isinstance(part, TextPart):
        return {"type": "input_text", "text": part.text}
    source = part.source
    if isinstance(part, ImagePart):
        if isinstance(source, FileSource):
            return {"type": "input_image", "detail": "auto", "file_id": source.value}
        url = data_url(source) if isinstance(source, DataSource) else source.value
        return {"type": "input_image", "detail": "auto", "image_url": url}
    if not isinstance(part, DocumentPart):
        refuse(provider, f"/messages/{at}", f"this API takes no {part_name(part)}")
    if isinstance(source, FileSource):
        return {"type": "input_file", "file_id": source.value}
    if isinstance(source, DataSource):
        name = f"document.{media_type(source).rpartition('/')[2] or 'pdf'}"
        return {"type": "input_file", "filename": name, "file_data": data_url(source)}
    return {"type": "input_file", "file_url": source.value}
