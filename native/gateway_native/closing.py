"""The event that ends an open block."""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import Block
from gateway_native.kinds import (
    REASONING_END,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    REASONING_START,
    STEP_FINISHED,
    STEP_STARTED,
    SUBAGENT_ERROR,
    SUBAGENT_FINISHED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_END,
    TOOL_CALL_START,
)

ENDS: Final[dict[int, int]] = {
    TEXT_MESSAGE_START: TEXT_MESSAGE_END,
    TOOL_CALL_START: TOOL_CALL_END,
    REASONING_START: REASONING_END,
    REASONING_MESSAGE_START: REASONING_MESSAGE_END,
    STEP_STARTED: STEP_FINISHED,
}


def closing_event(block: Block, failed: bool) -> Any:
    """What ends `block`; a subagent left open fails when its run does."""
    if block.kind == SUBAGENT_STARTED:
        if failed:
            return BINDING.classes[SUBAGENT_ERROR](block.id, "the run ended")
        return BINDING.classes[SUBAGENT_FINISHED](block.id)
    owner: Any = BINDING.unset if block.owner is None else block.owner
    return BINDING.classes[ENDS[block.kind]](block.id, subagent_run_id=owner)
