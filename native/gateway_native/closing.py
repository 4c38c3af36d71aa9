"""The event that ends an open block, made from what the verifier remembers of it."""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
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
from gateway_native.verifier import Block

ENDS: Final[dict[int, int]] = {
    TEXT_MESSAGE_START: TEXT_MESSAGE_END,
    TOOL_CALL_START: TOOL_CALL_END,
    REASONING_START: REASONING_END,
    REASONING_MESSAGE_START: REASONING_MESSAGE_END,
    STEP_STARTED: STEP_FINISHED,
}
"""The kind that ends what each kind opens, subagents aside."""


def end_of(block: Block, error: Any = None) -> Any:
    """The event that ends `block`, with its owner's tag.

    A subagent ends by SUBAGENT_FINISHED, or, when a RUN_ERROR is about to end the run, by a
    SUBAGENT_ERROR of the same message and code: what a failing run cuts short has not succeeded.
    """
    if block.kind == SUBAGENT_STARTED:
        return _end_of_subagent(block.id, error)
    end = BINDING.classes[ENDS[block.kind]]
    if block.owner is None:
        return end(block.id)
    return end(block.id, subagent_run_id=block.owner)


def _end_of_subagent(id: str, error: Any) -> Any:
    if error is None:
        return BINDING.classes[SUBAGENT_FINISHED](subagent_run_id=id)
    return BINDING.classes[SUBAGENT_ERROR](
        subagent_run_id=id, message=error.message, code=error.code
    )
