"""What an agent declares about itself (spec: `docs/spec/1.1/basic/capabilities.mdx`).

Every group and member is optional; an absent one says nothing, only an explicit false denies.
"""

from typing import Any

from gateway.protocol.base import UNSET, Count, Metadata, UnsetType, Wire
from gateway.protocol.input import Tool


class IdentityCapabilities(Wire, frozen=True, kw_only=True):
    name: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    provider: str | UnsetType = UNSET
    documentation_url: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class TransportCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    streaming: bool | UnsetType = UNSET
    websocket: bool | UnsetType = UNSET
    http_binary: bool | UnsetType = UNSET
    push_notifications: bool | UnsetType = UNSET
    resumable: bool | UnsetType = UNSET


class ToolsCapabilities(Wire, frozen=True, kw_only=True):
    supported: bool | UnsetType = UNSET
    items: list[Tool] | UnsetType = UNSET
    parallel_calls: bool | UnsetType = UNSET
    client_provided: bool | UnsetType = UNSET


class OutputCapabilities(Wire, frozen=True, kw_only=True):
    structured_output: bool | UnsetType = UNSET
    supported_mime_types: list[str] | UnsetType = UNSET


class StateCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    snapshots: bool | UnsetType = UNSET
    deltas: bool | UnsetType = UNSET
    memory: bool | UnsetType = UNSET
    persistent_state: bool | UnsetType = UNSET


class SubagentInfo(Wire, frozen=True, gc=False):
    name: str
    description: str | UnsetType = UNSET


class MultiAgentCapabilities(Wire, frozen=True, kw_only=True):
    """The list is spelled `subagents`; 0.x wrote `subAgents`, which is not read."""

    supported: bool | UnsetType = UNSET
    delegation: bool | UnsetType = UNSET
    handoffs: bool | UnsetType = UNSET
    subagents: list[SubagentInfo] | UnsetType = UNSET


class ReasoningCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    supported: bool | UnsetType = UNSET
    streaming: bool | UnsetType = UNSET
    encrypted: bool | UnsetType = UNSET


class MultimodalInputCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    image: bool | UnsetType = UNSET
    audio: bool | UnsetType = UNSET
    video: bool | UnsetType = UNSET
    pdf: bool | UnsetType = UNSET
    file: bool | UnsetType = UNSET


class MultimodalOutputCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    image: bool | UnsetType = UNSET
    audio: bool | UnsetType = UNSET


class MultimodalCapabilities(Wire, frozen=True, kw_only=True):
    input: MultimodalInputCapabilities | UnsetType = UNSET
    output: MultimodalOutputCapabilities | UnsetType = UNSET


class ExecutionCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    """`max_execution_time` is in milliseconds."""

    code_execution: bool | UnsetType = UNSET
    sandboxed: bool | UnsetType = UNSET
    max_iterations: Count | UnsetType = UNSET
    max_execution_time: Count | UnsetType = UNSET


class HumanInTheLoopCapabilities(Wire, frozen=True, gc=False, kw_only=True):
    supported: bool | UnsetType = UNSET
    approvals: bool | UnsetType = UNSET
    interventions: bool | UnsetType = UNSET
    feedback: bool | UnsetType = UNSET
    interrupts: bool | UnsetType = UNSET
    approve_with_edits: bool | UnsetType = UNSET


class AgentCapabilities(Wire, frozen=True, kw_only=True):
    identity: IdentityCapabilities | UnsetType = UNSET
    transport: TransportCapabilities | UnsetType = UNSET
    tools: ToolsCapabilities | UnsetType = UNSET
    output: OutputCapabilities | UnsetType = UNSET
    state: StateCapabilities | UnsetType = UNSET
    multi_agent: MultiAgentCapabilities | UnsetType = UNSET
    reasoning: ReasoningCapabilities | UnsetType = UNSET
    multimodal: MultimodalCapabilities | UnsetType = UNSET
    execution: ExecutionCapabilities | UnsetType = UNSET
    human_in_the_loop: HumanInTheLoopCapabilities | UnsetType = UNSET
    custom: dict[str, Any] | UnsetType = UNSET
