"""Why an answer ended: the words of all providers, and ours."""

from gateway.llm.model import FinishReason

REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "load": "stop",
    "unload": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
    "pause_turn": "pause",
}


def reason_of(raw: str | None, has_calls: bool) -> FinishReason:
    """Our word for a provider's; with calls any ordinary end is `tool_calls`."""
    word = (raw or "").lower().removeprefix("incomplete:")
    reason = REASONS.get(word, "unknown")
    if has_calls and reason in ("stop", "unknown"):
        return "tool_calls"
    if raw is None:
        return "stop"
    return "stop" if reason == "tool_calls" and not has_calls else reason
