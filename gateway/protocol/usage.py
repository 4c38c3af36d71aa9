"""Token usage of a run (spec: `docs/spec/1.1/events/lifecycle.mdx`)."""

from gateway.protocol.base import UNSET, Count, UnsetType, Wire


class TokenUsage(Wire, frozen=True, gc=False, kw_only=True):
    """What one model of one provider used.

    Input and output are totals; reasoning, cached and cache-written tokens are parts of them; a
    total is input plus output. Absent means unknown, which is not zero.
    """

    provider: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    input_tokens: Count | UnsetType = UNSET
    output_tokens: Count | UnsetType = UNSET
    total_tokens: Count | UnsetType = UNSET
    reasoning_tokens: Count | UnsetType = UNSET
    cached_input_tokens: Count | UnsetType = UNSET
    cache_write_input_tokens: Count | UnsetType = UNSET
