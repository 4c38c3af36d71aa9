"""`RunAgentInput`, the one message from a client to an agent.

Spec: `docs/spec/1.1/basic/run-input.mdx`.
"""

from typing import Any, Literal

from msgspec import field

from gateway.protocol.base import UNSET, Metadata, Present, UnsetType, Wire
from gateway.protocol.messages import Message


class Tool(Wire, frozen=True):
    """A tool that the client runs; `parameters` is a JSON Schema (any JSON value but null)."""

    name: str
    description: str
    parameters: Present | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class Context(Wire, frozen=True, gc=False):
    """A fact that the application wants the model to know."""

    description: str
    value: str


class ResumeEntry(Wire, frozen=True):
    """The answer to one interrupt, or its abandonment; `payload` is any JSON value but null."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    payload: Present | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class ImpliedList(list[Any]):
    """The empty list that stands for an absent member; not written while it is empty."""


class RunAgentInput(Wire, frozen=True):
    """Everything an agent gets for one run.

    Absent `tools` and `context` are empty lists and stay absent when written, absent `state` means
    `{}`, absent `protocol_version` marks a client of the 0.x era.
    """

    thread_id: str
    run_id: str
    messages: list[Message] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=ImpliedList)
    context: list[Context] = field(default_factory=ImpliedList)
    state: Present | UnsetType = UNSET
    forwarded_props: Present | UnsetType = UNSET
    resume: list[ResumeEntry] | UnsetType = UNSET
    protocol_version: str | UnsetType = UNSET
    parent_run_id: str | UnsetType = UNSET
