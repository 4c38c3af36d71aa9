"""Requests of Ollama's own API, where the size of the context can be set."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from gateway.llm.arguments import object_of
from gateway.llm.history import AssistantTurn, UserTurn, parts_of, repair, text_of
from gateway.llm.model import Request, Settings
from gateway.llm.providers.body import check_tools, finished, given, part_name, refuse, schema_of
from gateway.protocol.messages import ToolMessage
from gateway.protocol.parts import ContentPart, DataSource, ImagePart, TextPart

Object = dict[str, Any]


def ollama_body(request: Request, model: str, provider: str) -> Object:
    """The body of `POST {base}/api/chat`; raises ProviderError for what cannot be asked.

    The API has no tool choice: `none` leaves the tools out, the others are left to the model.
    """
    check_tools(provider, request)
    body: Object = {"model": model, "messages": list(_messages(request, provider))}
    settings = request.settings
    if request.tools and settings.tool_choice != "none":
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": schema_of(tool),
                },
            }
            for tool in request.tools
        ]
    body["stream"] = True
    return finished(body | _settings(settings), request)


def _settings(settings: Settings) -> Object:
    options = given(
        temperature=settings.temperature,
        top_p=settings.top_p,
        num_predict=settings.max_tokens,
        stop=UNSET if settings.stop is UNSET else list(settings.stop),
        seed=settings.seed,
    )
    body: Object = {"options": options} if options else {}
    if settings.reasoning_effort is not UNSET:
        effort = settings.reasoning_effort
        body["think"] = {"none": False, "true": True}.get(effort, effort)
    if settings.output_schema is not UNSET:
        body["format"] = dict(settings.output_schema)
    return body


def _messages(request: Request, provider: str) -> Iterator[Object]:
    history = repair(request.messages, request.system)
    if history.system:
        yield {"role": "system", "content": history.system}
    for turn in history.turns:
        if isinstance(turn, UserTurn):
            yield {"role": "user"} | _content(turn.parts, turn.at, provider)
            continue
        yield _assistant(turn)
        names = {call.id: call.function.name for call in turn.calls}
        for result in turn.results:
            yield _result(result, names[result.tool_call_id], turn.at, provider)


def _assistant(turn: AssistantTurn) -> Object:
    message: Object = {"role": "assistant", "content": turn.text}
    thinking = turn.opaque.get("thinking")
    if turn.opaque.get("format") == "ollama" and turn.is_current and isinstance(thinking, str):
        message["thinking"] = thinking
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "function": {
                    "name": call.function.name,
                    "arguments": object_of(call.function.arguments),
                },
            }
            for call in turn.calls
        ]
    return message


def _result(result: ToolMessage, name: str, at: int, provider: str) -> Object:
    message: Object = {"role": "tool", "tool_name": name, "tool_call_id": result.tool_call_id}
    message |= _content(parts_of(result.content), at, provider)
    if not message["content"] and isinstance(result.error, str):
        message["content"] = result.error
    return message


def _content(parts: list[ContentPart], at: int, provider: str) -> Object:
    images: list[str] = []
    for part in parts:
        if isinstance(part, TextPart):
            continue
        if not isinstance(part, ImagePart) or not isinstance(part.source, DataSource):
            refuse(
                provider,
                f"/messages/{at}",
                f"this API takes images as data only, no {part_name(part)}",
            )
        images.append(part.source.value)
    content: Object = {"content": text_of(parts)}
    return content | {"images": images} if images else content
