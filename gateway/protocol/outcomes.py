"""How a run or a subagent ended, and what an interrupted run asks.

Spec: `docs/spec/1.1/events/lifecycle.mdx`, `docs/spec/1.1/basic/patterns/interrupt-resume.mdx`.
"""

from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from gateway.protocol.base import UNSET, Metadata, UnsetType, Wire


class Interrupt(Wire, frozen=True):
    """One question to the human; the next run answers it with a `ResumeEntry` of the same id.

    `reason` is an open string, `response_schema` a JSON Schema object for the payload, and
    `expires_at` a date and time after which the interrupt can only be abandoned.
    """

    id: str
    reason: str
    message: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    response_schema: dict[str, Any] | UnsetType = UNSET
    expires_at: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET
    subagent_run_id: str | UnsetType = UNSET


class Outcome(Wire, frozen=True, tag_field="type"):
    """What a terminal event says about the end; absent means success."""


class SuccessOutcome(Outcome, frozen=True, tag="success"):
    """The run did what it should; `pending_tool_call_ids` are front-end calls left unanswered."""

    pending_tool_call_ids: list[str] | UnsetType = UNSET


class InterruptOutcome(Outcome, frozen=True, tag="interrupt"):
    """The run stopped to ask; at least one interrupt, ids unique within the run."""

    interrupts: Annotated[list[Interrupt], Meta(min_length=1)]


class CancelledOutcome(Outcome, frozen=True, gc=False, tag="cancelled"):
    """The run was stopped on purpose: neither succeeded nor failed."""


class SubagentSuccessOutcome(Outcome, frozen=True, gc=False, tag="success"):
    """The subagent did what it should."""


class SuspendedOutcome(Outcome, frozen=True, tag="suspended"):
    """The subagent waits for the answers to the interrupts named."""

    interrupt_ids: list[str] | UnsetType = UNSET


RunFinishedOutcome: TypeAlias = SuccessOutcome | InterruptOutcome | CancelledOutcome
SubagentFinishedOutcome: TypeAlias = SubagentSuccessOutcome | SuspendedOutcome
