"""The history of a thread as providers accept it: every call answered once, nothing orphaned.

Histories come from clients and from interrupted runs. Calls without a result get one that says so,
results without a call and second results are dropped, empty turns vanish, an id that an earlier
turn used already is replaced. Messages for the user's eyes only (activities) never leave. The input
is not changed.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gateway.protocol.base import UNSET
from gateway.protocol.messages import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    ReasoningMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.parts import ContentPart, TextPart

NOT_EXECUTED = "The call was not executed."


class UserTurn(Struct):
    """What the user said; `at` is the place of the message in the request."""

    parts: list[ContentPart]
    at: int


class AssistantTurn(Struct):
    """What the model said and called, with exactly one result a call, in the order of the calls.

    `opaque` is what the provider named by its `format` wants back. `is_current` says that no user
    has spoken since: the turn belongs to tool work that still goes on.
    """

    text: str
    calls: list[ToolCall]
    results: list[ToolMessage]
    opaque: dict[str, Any]
    at: int
    is_current: bool = False


Turn: TypeAlias = UserTurn | AssistantTurn


class History(Struct):
    """A repaired history; `system` joins what the system and developer messages say."""

    system: str
    turns: list[Turn]


def repair(messages: Sequence[Message], system: str = "") -> History:
    """Put a history right; `system` comes before the system messages of the history."""
    texts = [system]
    turns: list[Turn] = []
    thought: dict[str, Any] = {}
    for at, message in enumerate(messages):
        if isinstance(message, SystemMessage | DeveloperMessage):
            texts.append(message.content)
        elif isinstance(message, UserMessage):
            turns.append(UserTurn(parts_of(message.content), at))
        elif isinstance(message, ReasoningMessage):
            thought = opaque_of(message.encrypted_value) or thought
        elif isinstance(message, AssistantMessage):
            turns.append(_assistant(message, thought, at))
            thought = {}
        elif isinstance(message, ToolMessage):
            _answer(turns, message)
    _complete(turns)
    return History("\n\n".join(filter(None, texts)), [turn for turn in turns if _says(turn)])


def parts_of(content: str | list[ContentPart]) -> list[ContentPart]:
    """Content as parts, without empty texts."""
    parts: Iterable[ContentPart] = [TextPart(text=content)] if isinstance(content, str) else content
    return [part for part in parts if not isinstance(part, TextPart) or part.text]


def text_of(parts: Iterable[ContentPart]) -> str:
    """The text of the parts that are text."""
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def opaque_of(value: object) -> dict[str, Any]:
    """An encrypted value that a completion made; empty for any other."""
    if not isinstance(value, str):
        return {}
    try:
        decoded = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError):
        return {}
    return decoded if isinstance(decoded, dict) and "format" in decoded else {}


def _assistant(message: AssistantMessage, thought: dict[str, Any], at: int) -> AssistantTurn:
    text = message.content if isinstance(message.content, str) else ""
    calls = list(message.tool_calls) if message.tool_calls is not UNSET else []
    opaque = opaque_of(message.encrypted_value) or thought
    return AssistantTurn(text, calls, [], opaque, at)


def _answer(turns: list[Turn], result: ToolMessage) -> None:
    """Give a result to the latest turn that waits for it; equal ids pair by position."""
    for turn in reversed(turns):
        if isinstance(turn, AssistantTurn):
            asked = sum(call.id == result.tool_call_id for call in turn.calls)
            if asked > sum(r.tool_call_id == result.tool_call_id for r in turn.results):
                turn.results.append(result)
                return


def _complete(turns: list[Turn]) -> None:
    """Order the results by call, answer what nobody answered, make ids unique."""
    taken: set[str] = set()
    last_user = max((i for i, t in enumerate(turns) if isinstance(t, UserTurn)), default=-1)
    for index, turn in enumerate(turns):
        if isinstance(turn, AssistantTurn):
            turn.is_current = index > last_user
            _pair(turn, taken)


def _pair(turn: AssistantTurn, taken: set[str]) -> None:
    waiting = list(turn.results)
    calls: list[ToolCall] = []
    results: list[ToolMessage] = []
    for call in turn.calls:
        result = next((r for r in waiting if r.tool_call_id == call.id), None)
        if result is not None:
            waiting.remove(result)
        id = _free_id(call.id, taken)
        calls.append(call if id == call.id else replace(call, id=id))
        results.append(replace(result, tool_call_id=id) if result else _unanswered(id))
    turn.calls, turn.results = calls, results


def _unanswered(id: str) -> ToolMessage:
    return ToolMessage(id=id, tool_call_id=id, content=NOT_EXECUTED, error=NOT_EXECUTED)


def _free_id(id: str, taken: set[str]) -> str:
    free, turn = id or "call", 1
    while free in taken:
        turn += 1
        free = f"{id or 'call'}_{turn}"
    taken.add(free)
    return free


def _says(turn: Turn) -> bool:
    if isinstance(turn, UserTurn):
        return bool(turn.parts)
    return bool(turn.text or turn.calls or turn.opaque)
