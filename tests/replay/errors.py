"""Authored error cases of providers and of the transport."""

import ssl
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from aiohttp.client_reqrep import ConnectionKey

from gateway.agent.retry_after import parse_retry_after
from gateway.errors import ProviderError
from gateway.llm.failure import failure_of_exception, failure_of_response
from tests.replay.answers import DECODERS, decode
from tests.replay.verdict import Verdict

KEY = ConnectionKey("host", 443, True, True, None, None, None)

TRANSPORT: dict[str, BaseException] = {
    "connection-refused": aiohttp.ClientConnectorError(KEY, ConnectionRefusedError(111, "refused")),
    "dns-failure": aiohttp.ClientConnectorDNSError(KEY, OSError(-2, "Name not known")),
    "tls-handshake-failure": aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError(1, "HANDSHAKE")),
    "connection-reset-before-headers": aiohttp.ServerDisconnectedError(),
    "connection-reset-mid-body": aiohttp.ClientPayloadError("incomplete"),
    "connect-timeout": aiohttp.ConnectionTimeoutError("connect"),
    "read-timeout-before-first-byte": aiohttp.SocketTimeoutError("read"),
    "idle-timeout-between-chunks": TimeoutError(),
}


def check_vector(vector: dict[str, Any]) -> Verdict:
    """Kind, retryability, blame, hint and code of one vector."""
    failure = _failure(vector)
    expected = vector["expected"]
    if failure is None:
        return "no failure"
    if failure.kind not in expected["kind_accept"]:
        return f"{failure.kind}, expected {expected['kind']}"
    ours = (failure.is_retryable, failure.is_client_error, failure.retry_after)
    if ours != (expected["retryable"], expected["client_error"], expected["retry_after_s"]):
        return f"(retryable, client error, retry after) {ours}"
    if failure.provider_code != expected["provider_code"]:
        return f"code {failure.provider_code!r}, expected {expected['provider_code']!r}"
    if len(failure.reason) > 500 or "<" in failure.reason:
        return f"reason {failure.reason!r}"
    return None


def _failure(vector: dict[str, Any]) -> ProviderError | None:
    stage, provider = vector["stage"], vector["provider"]
    if stage == "transport":
        return failure_of_exception(provider, TRANSPORT[vector["id"].removeprefix("transport-")])
    body = vector["body"].encode()
    if vector["status"] >= 400:
        return failure_of_response(provider, vector["status"], vector["headers"], body)
    api = _api(vector)
    if stage == "mid_stream":
        return decode({"api": api, "provider": provider}, [body]).failure
    decoder = DECODERS[api](provider)
    decoder.whole(body)
    return decoder.failure


def _api(vector: dict[str, Any]) -> str:
    if vector["provider"] == "anthropic":
        return "messages"
    return "ollama_chat" if vector["id"].startswith("ollama-stream") else "chat_completions"


def check_retry_after(vector: dict[str, Any]) -> Verdict:
    """Seconds of one set of headers."""
    now = parsedate_to_datetime(vector["now"]).timestamp() if "now" in vector else None
    seconds = parse_retry_after(vector["headers"], now)
    wanted = vector["seconds"]
    accepted = wanted if isinstance(wanted, list) else [wanted]
    return None if seconds in accepted else f"{seconds}, expected {wanted}"
