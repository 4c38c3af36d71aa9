"""Event kinds: a small integer for each event type, its number in the protobuf `EventType`.

`Event.kind` holds it, so that the core dispatches on integers and never on classes or strings.
Source: `conformance/proto-freeze-1.1.txt` of the protocol; the order is frozen there.
"""

from typing import Final

TEXT_MESSAGE_START: Final = 0
TEXT_MESSAGE_CONTENT: Final = 1
TEXT_MESSAGE_END: Final = 2
TOOL_CALL_START: Final = 3
TOOL_CALL_ARGS: Final = 4
TOOL_CALL_END: Final = 5
STATE_SNAPSHOT: Final = 6
STATE_DELTA: Final = 7
MESSAGES_SNAPSHOT: Final = 8
RAW: Final = 9
CUSTOM: Final = 10
RUN_STARTED: Final = 11
RUN_FINISHED: Final = 12
RUN_ERROR: Final = 13
STEP_STARTED: Final = 14
STEP_FINISHED: Final = 15
SUBAGENT_STARTED: Final = 16
SUBAGENT_FINISHED: Final = 17
SUBAGENT_ERROR: Final = 18
TEXT_MESSAGE_CHUNK: Final = 19
TOOL_CALL_CHUNK: Final = 20
TOOL_CALL_RESULT: Final = 21
ACTIVITY_SNAPSHOT: Final = 22
ACTIVITY_DELTA: Final = 23
REASONING_START: Final = 24
REASONING_MESSAGE_START: Final = 25
REASONING_MESSAGE_CONTENT: Final = 26
REASONING_MESSAGE_END: Final = 27
REASONING_MESSAGE_CHUNK: Final = 28
REASONING_END: Final = 29
REASONING_ENCRYPTED_VALUE: Final = 30

NAMES: Final[list[str]] = [
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "RAW",
    "CUSTOM",
    "RUN_STARTED",
    "RUN_FINISHED",
    "RUN_ERROR",
    "STEP_STARTED",
    "STEP_FINISHED",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "SUBAGENT_ERROR",
    "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_CHUNK",
    "TOOL_CALL_RESULT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_MESSAGE_CHUNK",
    "REASONING_END",
    "REASONING_ENCRYPTED_VALUE",
]
COUNT: Final = 31
