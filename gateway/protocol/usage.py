"""Token usage of a run (spec: `docs/spec/1.1/events/lifecycle.mdx`)."""

from collections.abc import Iterable

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


COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "reasoning_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
)


def add_usage(usages: Iterable[TokenUsage]) -> list[TokenUsage]:
    """Sums by provider and model, in the order of their first appearance.

    A count that no entry of a group gives stays absent.
    """
    groups: dict[tuple[object, object], dict[str, int]] = {}
    for usage in usages:
        sums = groups.setdefault((usage.provider, usage.model), {})
        for name in COUNTS:
            count = getattr(usage, name)
            if count is not UNSET:
                sums[name] = sums.get(name, 0) + count
    return [
        TokenUsage(provider=provider, model=model, **sums)  # type: ignore[arg-type]
        for (provider, model), sums in groups.items()
    ]
