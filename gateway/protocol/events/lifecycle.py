"""Runs and steps (spec: `docs/spec/1.1/events/lifecycle.mdx`)."""

from gateway.protocol.base import UNSET, Present, UnsetType
from gateway.protocol.events.base import Attributable, Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.outcomes import RunFinishedOutcome
from gateway.protocol.usage import TokenUsage


class RunStarted(Event, frozen=True, tag="RUN_STARTED"):
    """First event of a run; `protocol_version` is what the producer itself speaks."""

    thread_id: str
    run_id: str
    protocol_version: str | UnsetType = UNSET
    parent_run_id: str | UnsetType = UNSET
    input: RunAgentInput | UnsetType = UNSET


class RunFinished(Event, frozen=True, tag="RUN_FINISHED"):
    """Last event of a run that ended in order; nothing may be open. `result` is never null."""

    thread_id: str
    run_id: str
    result: Present | UnsetType = UNSET
    outcome: RunFinishedOutcome | UnsetType = UNSET
    usage: list[TokenUsage] | UnsetType = UNSET


class RunError(Event, frozen=True, tag="RUN_ERROR"):
    """Last event of a run that failed; closes whatever is open."""

    message: str
    code: str | UnsetType = UNSET
    usage: list[TokenUsage] | UnsetType = UNSET


class StepStarted(Attributable, frozen=True, gc=False, tag="STEP_STARTED"):
    """Steps are keyed by owner and name and may overlap."""

    step_name: str


class StepFinished(Attributable, frozen=True, gc=False, tag="STEP_FINISHED"):
    step_name: str
