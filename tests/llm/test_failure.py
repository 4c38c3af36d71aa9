"""Messages of failures: short, on one line, without secrets or markup."""

import json

import pytest

from gateway.errors import CODES, PROVIDER_CODES, AgentError, ProviderError
from gateway.llm.failure import failure_of_frame, failure_of_response, hide, redact


def test_every_kind_has_a_code_that_is_listed() -> None:
    assert set(PROVIDER_CODES.values()) <= set(CODES)


def test_a_failure_is_one_that_the_client_may_read() -> None:
    error = failure_of_response("openai", 503, {}, b'{"error":{"message":"busy"}}')
    assert isinstance(error, AgentError)
    assert (error.message, error.code) == ("openai (503): busy", "OVERLOADED")


@pytest.mark.parametrize(
    "secret", ["sk-abcdefgh12345678", "Bearer abc.def.ghi", "gsk_abcdefgh12345678"]
)
def test_keys_are_removed(secret: str) -> None:
    assert secret not in redact(f"bad {secret}!")
    assert "[redacted]" in redact(f"bad {secret}!")


def test_a_secret_of_any_form_is_removed_from_all_members() -> None:
    error = hide(ProviderError("auth", "p", "no hunter2 here"), "hunter2")
    assert "hunter2" not in f"{error} {error.reason} {error.message} {error!r}"


def test_reasons_are_short_and_on_one_line() -> None:
    reason = redact("a\nb" * 1000)
    assert len(reason) == 500
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"error": {"message": "a", "metadata": {"raw": "cause"}}}, "a (cause)"),
        ({"error": "b"}, "b"),
        ({"detail": [{"msg": "c"}, {"msg": "d"}]}, "c; d"),
        ({"object": "error", "message": "e"}, "e"),
        ({}, "no explanation, status 500"),
        ("f", "f"),
        ([], "no explanation, status 500"),
    ],
)
def test_the_sentence_is_found_at_its_place(body: object, reason: str) -> None:
    assert failure_of_response("p", 500, {}, json.dumps(body).encode()).reason == reason


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "x"}, "rate_limited"),
        ({"code": "502", "message": "x"}, "server"),
        ({"type": "overloaded_error", "message": "x"}, "overloaded"),
        ({"message": "prompt is too long"}, "context_length"),
        ({"code": "insufficient_quota", "message": "x"}, "rate_limited"),
        ({"message": "x"}, "server"),
    ],
)
def test_the_kind_of_an_error_inside_a_good_answer(error: object, kind: str) -> None:
    assert failure_of_frame("p", {"error": error}).kind == kind
