"""Recorded answers of LLM providers, and authored errors, against the expected outcome."""

from typing import Any

from gateway.llm.model import Completion
from tests.replay.answers import Answer, answer, carries_end, decode, frames, variants
from tests.replay.errors import check_retry_after, check_vector
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    if "vectors" in row:
        return _errors(row)
    outcome = answer(row)
    found = _compare(outcome, row["expected"])
    if found or row["mode"] == "json" or row["status"] >= 400:
        return found
    for variant, chunks in variants(row):
        if decode(row, chunks) != outcome:
            return f"{variant}: another outcome than in one piece"
    return _cut(row)


def _errors(row: Row) -> Verdict:
    found = [f"{v['id']}: {bad}" for v in row["vectors"] if (bad := check_vector(v))]
    found += [f"{v}: {bad}" for v in row["retry_after"] if (bad := check_retry_after(v))]
    return "; ".join(found) or None


def _compare(outcome: Answer, expected: dict[str, Any]) -> Verdict:
    error = expected["error"]
    failure = outcome.failure
    if failure is None or error is None:
        if (failure is None) != (error is None):
            return f"failure {failure}, expected {error}"
    elif failure.kind not in error["kind_accept"]:
        return f"{failure.kind}, expected {error['kind_accept']}: {failure}"
    elif failure.is_retryable != error["retryable"]:
        return f"retryable {failure.is_retryable}: {failure}"
    elif failure.is_client_error != error["client_error"]:
        return f"client error {failure.is_client_error}: {failure}"
    return difference(_json(outcome.completion), _wanted(expected)) or _ids(outcome, expected)


def _json(completion: Completion) -> dict[str, Any]:
    return {
        "text": completion.text,
        "reasoning": completion.reasoning,
        "refusal": completion.refusal,
        "finish": [completion.finish_reason, completion.finish_raw],
        "calls": [
            [c.name, c.arguments, c.executable, c.text if c.arguments is None else None]
            for c in completion.tool_calls
        ],
        "usage": _counts(completion),
    }


def _counts(completion: Completion) -> dict[str, Any] | None:
    usage = completion.usage
    if usage is None:
        return None
    counts = {
        "input_total": usage.input_tokens,
        "output": usage.output_tokens,
        "reasoning": usage.reasoning_tokens,
        "cache_read": usage.cached_input_tokens,
        "cache_write": usage.cache_write_input_tokens,
    }
    return {key: value if isinstance(value, int) else None for key, value in counts.items()}


def _wanted(expected: dict[str, Any]) -> dict[str, Any]:
    usage = expected["usage"]
    finish = expected["finish_reason"]
    return {
        "text": expected["text"],
        "reasoning": expected["reasoning"],
        "refusal": expected["refusal"],
        "finish": [None if finish == "error" else finish, expected["finish_reason_raw"]],
        "calls": [
            [
                call["name"],
                call["arguments"],
                call["executable"],
                call["arguments_text"] if call["arguments"] is None else None,
            ]
            for call in expected["tool_calls"]
        ],
        "usage": usage and {key: usage[key] for key in usage if key != "input"},
    }


def _ids(outcome: Answer, expected: dict[str, Any]) -> Verdict:
    """Given ids are kept, ids are unique; opaque parts are there."""
    ours = [call.id for call in outcome.completion.tool_calls]
    given: list[str | None] = [call["id"] for call in expected["tool_calls"]]
    if not all(ours) or len(set(ours)) != len(ours):
        return f"ids are not unique: {ours}"
    for index, (mine, theirs) in enumerate(zip(ours, given, strict=True)):
        if theirs not in (None, mine) and theirs not in given[:index]:
            return f"id {mine}, expected {theirs}"
    if expected["has_opaque_reasoning"] and not outcome.completion.opaque:
        return "the opaque parts are lost"
    return None


def _cut(row: Row) -> Verdict:
    """Before the frame that carries the end a cut is a network failure, later none."""
    pieces = frames(row)
    last = next((i for i, piece in enumerate(pieces) if carries_end(row, piece)), len(pieces))
    whole = answer(row).completion
    for end in range(len(pieces)):
        outcome = decode(row, pieces[:end])
        kind = outcome.failure.kind if outcome.failure else None
        if end <= last and kind != "network":
            return f"cut before frame {end} of {len(pieces)}: {kind}, expected network"
        if end > last and row["expected"]["error"] is None and kind is not None:
            return f"cut behind the end, before frame {end}: {kind}"
        if not whole.text.startswith(outcome.completion.text):
            return f"cut before frame {end}: another partial text"
    return None
