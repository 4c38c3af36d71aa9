"""Pages of other origins."""

import pytest

from gateway.server import Cors, Gateway, Settings
from tests.server.asgi import JSON, Answer, Connection, http_scope, run, send
from tests.server.test_endpoint import hello

APP = "https://app.example.com"
GATEWAY = Gateway({"hello": hello}, Settings(cors=Cors(origins=(APP,), credentials=True)))
PREFLIGHT = {"access-control-request-method": "POST"}


def ask(gateway: Gateway, method: str, headers: dict[str, str]) -> Answer:
    async def scenario() -> Answer:
        scope = http_scope(method, "/agents/hello", headers.items())
        return await Connection(gateway, scope, [b""]).answer()

    return run(scenario())


def test_a_preflight_says_what_is_allowed() -> None:
    answer = ask(GATEWAY, "OPTIONS", {**PREFLIGHT, "origin": APP})
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == APP
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "authorization" in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-max-age"] == "600"
    assert "content-length" not in answer.headers


@pytest.mark.parametrize(
    "origin", ["https://app.example.com.evil.org", "http://app.example.com", "null", "*", ""]
)
def test_other_origins_are_told_nothing(origin: str) -> None:
    for answer in (
        ask(GATEWAY, "OPTIONS", {**PREFLIGHT, "origin": origin}),
        send(GATEWAY, "/agents/hello", headers={**JSON, "origin": origin}),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert ask(GATEWAY, "OPTIONS", {**PREFLIGHT, "origin": origin}).status == 403


def test_streams_carry_the_headers() -> None:
    answer = send(GATEWAY, "/agents/hello", headers={**JSON, "origin": APP})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, APP)


def test_errors_carry_the_headers() -> None:
    answer = send(GATEWAY, "/agents/hello", b"{", {**JSON, "origin": APP})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (400, APP)
    assert "retry-after" in answer.headers["access-control-expose-headers"]


def test_answers_vary_by_origin_for_whoever_asks() -> None:
    assert send(GATEWAY, "/agents/hello").headers["vary"] == "Origin"
    assert ask(GATEWAY, "DELETE", {}).headers["vary"] == "Origin"


def test_without_origins_there_is_no_cors() -> None:
    gateway = Gateway({"hello": hello})
    answer = ask(gateway, "OPTIONS", {**PREFLIGHT, "origin": APP})
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_no_page_starts_a_run_without_a_preflight() -> None:
    assert send(Gateway({"hello": hello}), "/agents/hello", headers={}).status == 200
    answer = send(Gateway({"hello": hello}), "/agents/hello", headers={"origin": APP})
    assert answer.status == 415


@pytest.mark.parametrize(
    "origin", ["*", "app.example.com", "https://", "https://a.org/x", "https://*.a"]
)
def test_origins_are_exact(origin: str) -> None:
    with pytest.raises(ValueError, match="origins: expected scheme://host"):
        Cors(origins=(origin,))
