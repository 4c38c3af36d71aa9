"""Requests that between them use everything that a request can say."""

import msgspec

from gateway.llm.model import OneTool, Request, Settings
from gateway.protocol.input import Tool
from gateway.protocol.messages import (
    AssistantMessage,
    FunctionCall,
    Message,
    ReasoningMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.parts import (
    AudioPart,
    DataSource,
    DocumentPart,
    ImagePart,
    TextPart,
    UrlSource,
)

PIXEL = "iVBORw0KGgo="
WEATHER = Tool(
    name="weather",
    description="The weather of a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
NOW = Tool(name="now", description="The time.")
IMAGE = ImagePart(source=DataSource(value=PIXEL, mime_type="image/png"))
LINKED = ImagePart(source=UrlSource(value="https://example.org/cat.png"))
PAPER = DocumentPart(source=DataSource(value="JVBERi0=", mime_type="application/pdf"))
VOICE = AudioPart(source=DataSource(value="UklGRg==", mime_type="audio/wav"))


def user(text: str, id: str = "u") -> UserMessage:
    return UserMessage(id=id, content=text)


def calls(*named: tuple[str, str, str], text: str = "", opaque: object = None) -> AssistantMessage:
    """A turn with calls of (id, name, arguments)."""
    value = msgspec.json.encode(opaque).decode() if opaque is not None else msgspec.UNSET
    return AssistantMessage(
        id="a",
        content=text or msgspec.UNSET,
        tool_calls=[ToolCall(id=i, function=FunctionCall(n, a)) for i, n, a in named],
        encrypted_value=value,
    )


def result(id: str, text: str) -> ToolMessage:
    return ToolMessage(id=f"r-{id}", tool_call_id=id, content=text)


def tool_work(opaque: object = None) -> list[Message]:
    """Two parallel calls, both answered, one with an error."""
    return [
        SystemMessage(id="s", content="Be brief."),
        user("Weather and time?"),
        calls(("c1", "weather", '{"city":"Bonn"}'), ("c2", "now", ""), text="Hm.", opaque=opaque),
        ToolMessage(id="r2", tool_call_id="c2", content="", error="no clock"),
        result("c1", "rain"),
    ]


MEDIA: list[Message] = [
    UserMessage(id="u", content=[TextPart(text="See"), IMAGE, LINKED, PAPER]),
    calls(("c1", "weather", "{}")),
    ToolMessage(id="r", tool_call_id="c1", content=[TextPart(text="a map"), IMAGE]),
]

DAMAGED: list[Message] = [
    AssistantMessage(id="a0", content="Hello! "),
    user("one", "u1"),
    user("two", "u2"),
    result("nobody", "orphan"),
    ReasoningMessage(id="t", content="thinking"),
    calls(("c1", "weather", '{"city":'), ("c1", "now", "null")),
    AssistantMessage(id="a9"),
    calls(("c1", "weather", "{}")),
    result("c1", "sun"),
    result("c1", "sun again"),
    AssistantMessage(id="a2", content="Nice.  "),
]

FULL = Settings(
    temperature=0.5,
    top_p=0.9,
    max_tokens=900,
    tool_choice="required",
    parallel_tool_calls=False,
    reasoning_effort="low",
    output_schema={"type": "object", "properties": {"a": {"type": "integer"}}},
)

REQUESTS: dict[str, Request] = {
    "plain": Request(messages=[user("Hi")]),
    "system": Request(messages=[user("Hi")], system="You are terse."),
    "empty": Request(messages=[]),
    "tools": Request(messages=tool_work(), tools=[WEATHER, NOW]),
    "media": Request(messages=MEDIA, tools=[WEATHER]),
    "damaged": Request(messages=DAMAGED, tools=[WEATHER, NOW]),
    "settings": Request(messages=[user("Hi")], tools=[WEATHER], settings=FULL),
    "one tool": Request(
        messages=[user("Hi")],
        tools=[WEATHER],
        settings=Settings(tool_choice=OneTool("weather"), stop=["END"]),
    ),
    "choice without tools": Request(
        messages=[user("Hi")], settings=Settings(tool_choice="auto", parallel_tool_calls=True)
    ),
}
