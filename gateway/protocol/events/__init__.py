"""The 31 events of the protocol, a module a family, named after the pages of the specification."""

from gateway.protocol.events.activity import ActivityDelta, ActivitySnapshot
from gateway.protocol.events.base import Attributable, Event
from gateway.protocol.events.lifecycle import (
    RunError,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from gateway.protocol.events.passthrough import Custom, Raw
from gateway.protocol.events.reasoning import (
    ReasoningEncryptedValue,
    ReasoningEnd,
    ReasoningMessageChunk,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    ReasoningStart,
)
from gateway.protocol.events.state import MessagesSnapshot, StateDelta, StateSnapshot
from gateway.protocol.events.subagents import SubagentError, SubagentFinished, SubagentStarted
from gateway.protocol.events.text import (
    TextMessageChunk,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    TextRole,
)
from gateway.protocol.events.tools import (
    ToolCallArgs,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from gateway_native import kinds

__all__ = [
    "EVENTS",
    "EVENT_CLASSES",
    "ActivityDelta",
    "ActivitySnapshot",
    "Attributable",
    "Custom",
    "Event",
    "MessagesSnapshot",
    "Raw",
    "ReasoningEncryptedValue",
    "ReasoningEnd",
    "ReasoningMessageChunk",
    "ReasoningMessageContent",
    "ReasoningMessageEnd",
    "ReasoningMessageStart",
    "ReasoningStart",
    "RunError",
    "RunFinished",
    "RunStarted",
    "StateDelta",
    "StateSnapshot",
    "StepFinished",
    "StepStarted",
    "SubagentError",
    "SubagentFinished",
    "SubagentStarted",
    "TextMessageChunk",
    "TextMessageContent",
    "TextMessageEnd",
    "TextMessageStart",
    "TextRole",
    "ToolCallArgs",
    "ToolCallChunk",
    "ToolCallEnd",
    "ToolCallResult",
    "ToolCallStart",
]


def _leaves(base: type[Event]) -> list[type[Event]]:
    found: list[type[Event]] = []
    for cls in base.__subclasses__():
        found += _leaves(cls) if cls is Attributable else [cls]
    return found


EVENTS: dict[str, type[Event]] = {str(cls.__struct_config__.tag): cls for cls in _leaves(Event)}
"""The class of each wire name."""

EVENT_CLASSES: list[type[Event]] = [EVENTS[name] for name in kinds.NAMES]
"""The class of each kind."""

for _kind, _event in enumerate(EVENT_CLASSES):
    _event.kind = _kind
    _event.type = kinds.NAMES[_kind]
