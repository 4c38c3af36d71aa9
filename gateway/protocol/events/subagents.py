"""Subagent invocations (spec: `docs/spec/1.1/events/subagents.mdx`)."""

from gateway.protocol.base import UNSET, Present, UnsetType
from gateway.protocol.events.base import Event
from gateway.protocol.outcomes import SubagentFinishedOutcome


class SubagentStarted(Event, frozen=True, gc=False, tag="SUBAGENT_STARTED"):
    """Announces an invocation; its id is used once in a run."""

    subagent_run_id: str
    name: str
    description: str | UnsetType = UNSET
    parent_subagent_run_id: str | UnsetType = UNSET
    parent_tool_call_id: str | UnsetType = UNSET
    parent_message_id: str | UnsetType = UNSET


class SubagentFinished(Event, frozen=True, tag="SUBAGENT_FINISHED"):
    """`result` is any JSON value but null; an absent `outcome` means success."""

    subagent_run_id: str
    result: Present | UnsetType = UNSET
    outcome: SubagentFinishedOutcome | UnsetType = UNSET


class SubagentError(Event, frozen=True, gc=False, tag="SUBAGENT_ERROR"):
    """Ends the invocation, not the run."""

    subagent_run_id: str
    message: str
    code: str | UnsetType = UNSET
