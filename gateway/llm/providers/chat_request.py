"""Requests of chat completions in the dialect of a server."""

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
from gateway.llm.providers.dialect import Dialect
from gateway.protocol.messages import ToolMessage
from gateway.protocol.parts import (
    AudioPart,
    ContentPart,
    DataSource,
    FileSource,
    ImagePart,
    TextPart,
    UrlSource,
    VideoPart,
)

Object = dict[str, Any]


def chat_body(request: Request, model: str, dialect: Dialect) -> Object:
    """The body of `POST {base}/chat/completions`; raises ProviderError for what cannot be asked."""
    check_tools(dialect.name, request)
    body: Object = {"model": model, "messages": list(_messages(request, dialect))}
    if request.tools:
        body["tools"] = [
            {"type": "function", "function": _function(tool)} for tool in request.tools
        ]
        body |= _choice(request.settings, dialect)
    body |= _settings(request.settings, dialect)
    body["stream"] = True
    if dialect.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if dialect.usage_member:
        body["usage"] = {"include": True}
    return finished(body, request)


def _function(tool: Any) -> Object:
    return {"name": tool.name, "description": tool.description, "parameters": schema_of(tool)}


def _choice(settings: Settings, dialect: Dialect) -> Object:
    choice = settings.tool_choice
    word: Any = choice
    if dialect.required is None:
        word = UNSET
    elif choice == "required":
        word = dialect.required
    elif isinstance(choice, OneTool):
        word = {"type": "function", "function": {"name": choice.name}}
    return given(tool_choice=word, parallel_tool_calls=settings.parallel_tool_calls)


def _settings(settings: Settings, dialect: Dialect) -> Object:
    body = given(
        temperature=settings.temperature,
        top_p=settings.top_p,
        stop=UNSET if settings.stop is UNSET else list(settings.stop),
        **{dialect.max_tokens: settings.max_tokens, dialect.seed: settings.seed},
    )
    if settings.output_schema is not UNSET:
        schema = {"name": "answer", "schema": dict(settings.output_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body | _reasoning(settings, dialect)


def _reasoning(settings: Settings, dialect: Dialect) -> Object:
    if dialect.reasoning == "reasoning_effort":
        return given(reasoning_effort=settings.reasoning_effort)
    wanted = given(effort=settings.reasoning_effort, max_tokens=settings.reasoning_tokens)
    return {"reasoning": wanted} if wanted else {}


def _messages(request: Request, dialect: Dialect) -> Iterator[Object]:
    history = repair(request.messages, request.system)
    if history.system:
        yield {"role": dialect.system_role, "content": history.system}
    after_tool = False
    for turn in history.turns:
        if isinstance(turn, UserTurn):
            if after_tool and not dialect.user_after_tool:
                yield {"role": "assistant", "content": "OK."}
            yield {"role": "user", "content": _content(turn.parts, turn.at, dialect)}
        else:
            yield _assistant(turn, dialect)
            yield from _results(turn, dialect)
        after_tool = isinstance(turn, AssistantTurn) and bool(turn.calls)


def _assistant(turn: AssistantTurn, dialect: Dialect) -> Object:
    message: Object = {"role": "assistant", "content": turn.text}
    extras = _replayed(turn, dialect)
    if thinking := extras.pop("thinking", None):
        parts: list[Object] = [
            {"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}
        ]
        message["content"] = [*parts, {"type": "text", "text": turn.text}] if turn.text else parts
    if turn.calls:
        extra_content = extras.pop("extra_content", {})
        message["tool_calls"] = [
            {
                "id": fit_id(call.id, dialect.call_ids, dialect.call_id_length),
                "type": "function",
                "function": {
                    "name": call.function.name,
                    "arguments": call.function.arguments.strip() or "{}",
                },
                **({"extra_content": extra_content[call.id]} if call.id in extra_content else {}),
            }
            for call in turn.calls
        ]
    return message | extras


def _replayed(turn: AssistantTurn, dialect: Dialect) -> Object:
    """The opaque members that this server wants; plain reasoning during tool work only."""
    if turn.opaque.get("format") != "chat":
        return {}
    extras = {key: turn.opaque[key] for key in dialect.replays if turn.opaque.get(key)}
    if not turn.is_current:
        extras.pop("reasoning_content", None)
        extras.pop("thinking", None)
    if not isinstance(extras.get("extra_content", {}), dict):
        del extras["extra_content"]
    return extras


def _results(turn: AssistantTurn, dialect: Dialect) -> Iterator[Object]:
    """Results are text there; their media follow in a message of the user."""
    media: list[Object] = []
    for result in turn.results:
        parts = parts_of(result.content)
        text = text_of(parts) or (result.error if isinstance(result.error, str) else "")
        others = [part for part in parts if not isinstance(part, TextPart)]
        media += [_part(part, turn.at, dialect) for part in others]
        yield _result(result, text or ("See the next message." if others else ""), dialect)
    if media:
        yield {"role": "user", "content": [{"type": "text", "text": "From the tools:"}, *media]}


def _result(result: ToolMessage, text: str, dialect: Dialect) -> Object:
    id = fit_id(result.tool_call_id, dialect.call_ids, dialect.call_id_length)
    return {"role": "tool", "tool_call_id": id, "content": text}


def _content(parts: list[ContentPart], at: int, dialect: Dialect) -> str | list[Object]:
    if all(isinstance(part, TextPart) for part in parts):
        return text_of(parts)
    return [_part(part, at, dialect) for part in parts]


def _part(part: ContentPart, at: int, dialect: Dialect) -> Object:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    source = part.source
    if isinstance(part, ImagePart) and not isinstance(source, FileSource):
        return {"type": "image_url", "image_url": {"url": _url(source)}}
    if isinstance(part, AudioPart) and isinstance(source, DataSource):
        kind = source.mime_type.rpartition("/")[2].removeprefix("x-").replace("mpeg", "mp3")
        return {"type": "input_audio", "input_audio": {"data": source.value, "format": kind}}
    if isinstance(part, VideoPart) and dialect.video and not isinstance(source, FileSource):
        return {"type": "video_url", "video_url": {"url": _url(source)}}
    if isinstance(source, FileSource):
        return {"type": "file", "file": {"file_id": source.value}}
    if isinstance(part, VideoPart | AudioPart) or isinstance(source, UrlSource):
        refuse(dialect.name, f"/messages/{at}", f"this API takes no {part_name(part)} of that kind")
    name = f"document.{media_type(source).rpartition('/')[2] or 'pdf'}"
    return {"type": "file", "file": {"filename": name, "file_data": data_url(source)}}


def _url(source: DataSource | UrlSource) -> str:
    return data_url(source) if isinstance(source, DataSource) else source.value
