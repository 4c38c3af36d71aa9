"""What went wrong with a provider: from bodies, frames and exceptions to `ProviderError`.

The order of decision: the transport's exception, then the status, then an error inside a 200 answer
under the status that it names itself. The text decides the kind before the status does, because
providers send quota under 429, rate limits under 413 and overflown contexts under 500.
"""

import asyncio
import re
import ssl
from collections.abc import Mapping
from typing import Any

import aiohttp
import msgspec

from gateway.agent.retry_after import parse_retry_after
from gateway.errors import ProviderError, ProviderErrorKind

MAX_REASON = 500
"""Longest reason in characters."""

CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|prompt is too long"
    r"|context (?:window|limit)|(?:exceeds|exceeded) the (?:available |model.s )?context"
    r"|input length exceeds|too many input tokens",
    re.IGNORECASE,
)
QUOTA = re.compile(
    r"insufficient_quota|billing|credit balance|insufficient (?:balance|credits?|funds)"
    r"|exceeded your current quota|payment_required",
    re.IGNORECASE,
)
RATE = re.compile(r"rate.?limit", re.IGNORECASE)
OVERLOAD = re.compile(
    r"overloaded|slow_down|capacity|server busy|too busy|loading model", re.IGNORECASE
)
MALFORMED = re.compile(r"tool_use_failed|output_parse_failed", re.IGNORECASE)
SECRET = re.compile(r"\b(?:sk|pk|rk|gsk|xai|key|api)[-_][A-Za-z0-9*_-]{8,}|Bearer\s+\S+")

BY_TYPE: dict[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "timeout_error": 504,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "billing_error": 402,
    "content_filter": 400,
}
"""The status that an error inside a 200 answer stands for when it names none."""


class Told(msgspec.Struct, frozen=True):
    """What a provider's error says, whatever its shape."""

    message: str
    code: str | int | None = None
    type: str | None = None
    status: int | None = None
    request_id: str | None = None


def read_error(value: Any) -> Told:
    """Find message, code and type in the decoded body of an error."""
    if not isinstance(value, dict):
        return Told(value if isinstance(value, str) else "")
    inner = value.get("error")
    body = inner if isinstance(inner, dict) else value
    code, kind = body.get("code"), body.get("type")
    if code is None and value.get("type") == "error":
        code = kind
    return Told(
        _sentence(value),
        code if isinstance(code, str | int) and not isinstance(code, bool) else None,
        kind if isinstance(kind, str) and kind != "error" else None,
        _own_status(body),
        value.get("request_id") if isinstance(value.get("request_id"), str) else None,
    )


def _own_status(body: dict[str, Any]) -> int | None:
    for key in ("code", "status_code", "status"):
        value = body.get(key)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    for key in ("code", "type"):
        if isinstance(body.get(key), str) and body[key] in BY_TYPE:
            return BY_TYPE[body[key]]
    return None


def _sentence(value: Any) -> str:
    """The message at whatever place a provider puts it, with the cause that OpenRouter attaches."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_sentence, value)))
    if not isinstance(value, dict):
        return ""
    for key in ("error", "message", "detail", "msg"):
        if found := _sentence(value.get(key)):
            metadata = value.get("metadata")
            raw = metadata.get("raw") if isinstance(metadata, dict) else None
            return f"{found} ({_sentence(raw)})" if raw else found
    return ""


def redact(text: str) -> str:
    """A short single line without keys and without markup."""
    start = text.lstrip()[:200].lower()
    if start.startswith("<") and ("<html" in start or "<!doctype" in start or "<head" in start):
        return "the server answered with a web page"
    line = SECRET.sub("[redacted]", " ".join(text.split()))
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1] + "…"


def hide(failure: ProviderError, secret: str) -> ProviderError:
    """The failure without that secret, should the provider have repeated it."""
    if secret and secret in failure.message:
        failure.reason = failure.reason.replace(secret, "[redacted]")
        failure.message = failure.message.replace(secret, "[redacted]")
        failure.args = (failure.message,)
    return failure


def failure_of_response(
    provider: str, status: int, headers: Mapping[str, str], body: bytes
) -> ProviderError:
    """The failure that an answer with a status of 400 and above tells."""
    try:
        told = read_error(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeError):
        told = Told(body[: 4 * MAX_REASON].decode(errors="replace"))
    hint = headers.get("x-should-retry", "").lower()
    return _failure(
        provider,
        told,
        status,
        retry_after=parse_retry_after(headers),
        hint={"true": True, "false": False}.get(hint),
        request_id=headers.get("x-request-id") or headers.get("request-id") or told.request_id,
    )


def failure_of_frame(provider: str, value: Any) -> ProviderError:
    """The failure that an error object inside a 200 answer tells."""
    told = read_error(value)
    return _failure(provider, told, told.status, request_id=told.request_id)


def _failure(
    provider: str,
    told: Told,
    status: int | None,
    *,
    retry_after: float | None = None,
    hint: bool | None = None,
    request_id: str | None = None,
) -> ProviderError:
    kind, retryable = _judge(told, status)
    return ProviderError(
        kind,
        provider,
        redact(told.message) or f"no explanation, status {status}",
        status=status,
        is_retryable=retryable if hint is None else hint,
        retry_after=retry_after,
        provider_code=told.code,
        request_id=request_id,
    )


def _judge(told: Told, status: int | None) -> tuple[ProviderErrorKind, bool]:
    """Kind, and whether to try again."""
    text = f"{told.code} {told.type} {told.message}"
    if status in (401, 403) and not re.search("moderation|flagged", told.message, re.IGNORECASE):
        return "auth", False
    if CONTEXT.search(text) and not RATE.search(str(told.code)):
        return "context_length", False
    if status == 402 or (status in (None, 400, 403, 429) and QUOTA.search(text)):
        return "rate_limited", False
    if MALFORMED.search(text):
        return "malformed_response", True
    return _judge_status(text, status)


def _judge_status(text: str, status: int | None) -> tuple[ProviderErrorKind, bool]:
    if status == 429 or (status in (None, 503) and RATE.search(text)):
        return "rate_limited", True
    if status == 413 and RATE.search(text):
        return "rate_limited", False
    if status in (408, 504):
        return "timeout", True
    if status in (498, 503, 529) or (status is None and OVERLOAD.search(text)):
        return "overloaded", True
    if status == 409 or status is None or status >= 500:
        return "server", True
    return "invalid_request", False


def malformed(provider: str, reason: str, retryable: bool = True) -> ProviderError:
    """An answer that is not what the API promises."""
    return ProviderError("malformed_response", provider, redact(reason), is_retryable=retryable)


def truncated(provider: str) -> ProviderError:
    """An answer that broke off before its end."""
    reason = "the answer broke off before its end"
    return ProviderError("network", provider, reason, is_retryable=True, code="PROVIDER_TRUNCATED")


def resting(provider: str, model: str, seconds: float) -> ProviderError:
    """A call that is not tried, as the last ones failed."""
    reason = f"{model} has failed again and again and is left alone for {seconds:.0f} s"
    return ProviderError("overloaded", provider, reason, is_retryable=True, retry_after=seconds)


def failure_of_exception(provider: str, error: BaseException) -> ProviderError:
    """The failure behind an exception of the transport."""
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        reason = "no connection in time" if isinstance(error, CONNECT) else "no answer in time"
        return ProviderError("timeout", provider, reason, is_retryable=True)
    certificate = isinstance(error, aiohttp.ClientConnectorCertificateError | ssl.SSLError)
    if certificate and "CERTIFICATE" in f"{error!r}".upper():
        return ProviderError("network", provider, "the server's certificate is not trusted")
    if isinstance(error, aiohttp.InvalidURL):
        return ProviderError("invalid_request", provider, "the base URL is no URL")
    if isinstance(error, aiohttp.ClientPayloadError):
        return truncated(provider)
    reason = f"the connection failed ({type(error).__name__})"
    return ProviderError("network", provider, reason, is_retryable=True)


CONNECT = aiohttp.ConnectionTimeoutError
