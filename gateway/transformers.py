"""Transformers: what may stand between an agent and its stream.

Give an endpoint, a `Runner` or `Options` factories of them, since each holds the state of one run:
`transformers=[lambda: FilterToolCalls.deny(["internal"])]`. Your own subclass `Transformer`.
"""

from gateway_native.chain import Transformer
from gateway_native.transformers.chunk_expansion import ExpandChunks
from gateway_native.transformers.reasoning_filter import DropReasoning
from gateway_native.transformers.redaction import RedactText
from gateway_native.transformers.result_promoter import ToolResultToState
from gateway_native.transformers.sequence import SequentialBlocks
from gateway_native.transformers.timestamps import Timestamps
from gateway_native.transformers.tool_filter import FilterToolCalls

__all__ = [
    "DropReasoning",
    "ExpandChunks",
    "FilterToolCalls",
    "RedactText",
    "SequentialBlocks",
    "Timestamps",
    "ToolResultToState",
    "Transformer",
]
