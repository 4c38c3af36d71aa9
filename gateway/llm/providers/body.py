"""What the request bodies of all providers share."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from msgspec import UNSET

from gateway.errors import ProviderError
from gateway.llm.model import Request
from gateway.protocol.input import Tool
from gateway.protocol.parts import ContentPart, DataSource, FileSource, TextPart, UrlSource

Source = DataSource | UrlSource | FileSource
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ROOT_ONLY = ("anyOf", "oneOf", "allOf", "$ref")


def refuse(provider: str, place: str, expectation: str) -> NoReturn:
    """This provider cannot be asked that; `place` is a JSON Pointer into the request."""
    raise ProviderError("invalid_request", provider, f"{place}: {expectation}")


def check_tools(provider: str, request: Request) -> None:
    """Tool names are what all providers take."""
    for index, tool in enumerate(request.tools):
        if not TOOL_NAME.fullmatch(tool.name):
            expectation = "expected 1 to 64 letters, digits, underscores and dashes"
            refuse(provider, f"/tools/{index}/name", f"{expectation}, found {tool.name!r:.80}")


def schema_of(tool: Tool) -> dict[str, Any]:
    """The parameters as an object schema: providers refuse references and unions at the root."""
    schema = dict(tool.parameters) if isinstance(tool.parameters, dict) else {}
    reference = schema.pop("$ref", None)
    if isinstance(reference, str):
        name = reference.removeprefix("#/$defs/")
        found = schema.get("$defs", {}).get(name)
        schema = {**found, **schema} if isinstance(found, dict) else schema
    schema = {key: value for key, value in schema.items() if key not in ROOT_ONLY}
    schema["type"] = "object"
    schema.setdefault("properties", {})
    return schema


def fit_id(id: str, pattern: str, length: int) -> str:
    """The id if the provider takes it, else one of that many hexadecimal digits made from it."""
    return id if re.fullmatch(pattern, id) else hashlib.sha256(id.encode()).hexdigest()[:length]


def data_url(source: DataSource) -> str:
    """Inline content as a URL."""
    return f"data:{source.mime_type};base64,{source.value}"


def media_type(source: Source) -> str:
    """The media type, empty if unknown."""
    return source.mime_type if isinstance(source.mime_type, str) else ""


def part_name(part: ContentPart) -> str:
    """What to call a part in a message."""
    source = "" if isinstance(part, TextPart) else f" ({type(part.source).__struct_config__.tag})"
    return f"{type(part).__struct_config__.tag}{source}"


def given(**members: Any) -> dict[str, Any]:
    """The members that are set."""
    return {key: value for key, value in members.items() if value is not UNSET}


def merge(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Extra members win; objects merge."""
    for key, value in extra.items():
        mine = body.get(key)
        both = isinstance(mine, dict) and isinstance(value, Mapping)
        body[key] = merge(dict(mine), value) if both and mine is not None else value
    return body


def finished(body: dict[str, Any], request: Request) -> dict[str, Any]:
    """The body with the extra members of the request."""
    extra = request.settings.extra_body
    return body if extra is UNSET else merge(body, extra)
