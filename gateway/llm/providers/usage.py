"""Token counts of each API, translated to the protocol's accounting.

Input and output are totals there, cached and reasoning tokens are parts of them. What a provider
does not say stays absent (spec: `docs/spec/1.1/events/lifecycle.mdx`).
"""

from typing import Any

from gateway.llm.model import UsageDelta
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.usage import TokenUsage


def chat_usage(provider: str, model: Any, usage: dict[str, Any]) -> UsageDelta:
    """`usage` of chat completions and of Responses, which differ in their names only."""
    of_input = _details(usage, "prompt_tokens_details", "input_tokens_details")
    of_output = _details(usage, "completion_tokens_details", "output_tokens_details")
    cached = _count(of_input, "cached_tokens")
    counts = token_usage(
        provider,
        model,
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
        reasoning_tokens=_count(of_output, "reasoning_tokens"),
        cached=_count(usage, "prompt_cache_hit_tokens") if cached is UNSET else cached,
        written=_count(of_input, "cache_write_tokens"),
    )
    cost = usage.get("cost")
    is_number = isinstance(cost, int | float) and not isinstance(cost, bool)
    return UsageDelta(counts, float(cost) if is_number and cost is not None else None)


def anthropic_usage(provider: str, model: Any, usage: dict[str, Any]) -> UsageDelta:
    """`usage` of Anthropic messages, whose input leaves out what went through the cache."""
    fresh = _count(usage, "input_tokens")
    cached = _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens")
    total = fresh
    if isinstance(fresh, int):
        total = fresh + (cached or 0) + (written or 0)
    counts = token_usage(
        provider,
        model,
        input_tokens=total,
        output_tokens=_count(usage, "output_tokens"),
        reasoning_tokens=_count(_details(usage, "output_tokens_details"), "thinking_tokens"),
        cached=cached,
        written=written,
    )
    return UsageDelta(counts)


def ollama_usage(provider: str, model: Any, line: dict[str, Any]) -> UsageDelta | None:
    """Counters of an Ollama line; those that are zero or cached are left out by Ollama."""
    given = _count(line, "prompt_eval_count"), _count(line, "eval_count")
    if given == (UNSET, UNSET):
        return None
    counts = token_usage(provider, model, input_tokens=given[0], output_tokens=given[1])
    return UsageDelta(counts)


def token_usage(
    provider: str,
    model: Any,
    *,
    input_tokens: int | UnsetType,
    output_tokens: int | UnsetType,
    reasoning_tokens: int | UnsetType = UNSET,
    cached: int | UnsetType = UNSET,
    written: int | UnsetType = UNSET,
) -> TokenUsage:
    """Counts in the protocol's form; the total is there if both of its parts are."""
    total: int | UnsetType = UNSET
    if isinstance(input_tokens, int) and isinstance(output_tokens, int):
        total = input_tokens + output_tokens
    return TokenUsage(
        provider=provider,
        model=model if isinstance(model, str) and model else UNSET,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=total,
        reasoning_tokens=reasoning_tokens,
        cached_input_tokens=cached,
        cache_write_input_tokens=written,
    )


def _details(usage: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        details = usage.get(name)
        if isinstance(details, dict):
            return details
    return {}


def _count(usage: dict[str, Any], *names: str) -> int | UnsetType:
    for name in names:
        count = usage.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
            return count
    return UNSET
