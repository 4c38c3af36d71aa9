"""Who sends a request."""

import asyncio
from typing import Any

import pytest

from gateway.agent import Request, RunContext
from gateway.errors import RefusedError
from gateway.server import (
    ApiKey,
    Gateway,
    Identity,
    Principal,
    Settings,
    endpoint,
    key_digest,
)
from tests.server.asgi import JSON, RUN, Answer, Connection, http_scope, post, run, send, until
from tests.server.test_endpoint import Waiting, hello

KEY = "a-long-and-random-key"
KEYS = Settings(
    identity=Identity(
        api_keys=(
            ApiKey(principal="ada", sha256=key_digest(KEY)),
            ApiKey(principal="bob", sha256=key_digest("bob's"), agents=("hello",)),
        )
    )
)


async def whoami(ctx: RunContext[Any]) -> None:
    """Says who asks."""
    ctx.say(f"you are {ctx.request.principal.id}.")


@pytest.mark.parametrize(
    "headers",
    [{"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer  {KEY} "}, {"x-api-key": KEY}],
)
def test_a_key_says_who_asks(headers: dict[str, str]) -> None:
    answer = send(endpoint(whoami, KEYS), headers={**JSON, **headers})
    assert answer.status == 200
    assert b"you are ada." in answer.body


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": f"Basic {KEY}"},
        {"authorization": "Bearer other"},
        {"x-api-key": key_digest(KEY)},
        {"x-api-key": "ÿ"},
        {"x-user": "ada"},
    ],
)
def test_whoever_has_no_key_is_told_what_is_needed_and_nothing_else(
    headers: dict[str, str],
) -> None:
    answer = send(endpoint(whoami, KEYS), headers={**JSON, **headers})
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json == {"code": "UNAUTHENTICATED", "message": "A valid credential is needed."}


def test_a_key_may_open_some_agents_only() -> None:
    gateway = Gateway({"hello": hello, "whoami": whoami}, KEYS)
    bob = {**JSON, "x-api-key": "bob's"}
    assert send(gateway, "/agents/hello", headers=bob).status == 200
    for name in ("whoami", "nobody"):
        answer = send(gateway, f"/agents/{name}", headers=bob)
        assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")


def test_only_the_agents_that_are_open_are_listed() -> None:
    gateway = Gateway({"hello": hello, "whoami": whoami}, KEYS)

    def names(key: str) -> list[str]:
        async def ask() -> Answer:
            scope = http_scope("GET", "/agents", [("x-api-key", key)])
            return await Connection(gateway, scope, [b""]).answer()

        return [agent["name"] for agent in run(ask()).json["agents"]]

    assert (names("bob's"), names(KEY)) == (["hello"], ["hello", "whoami"])


def test_health_asks_nobody() -> None:
    async def ask(path: str) -> int:
        answer = await Connection(Gateway({}, KEYS), http_scope("GET", path), [b""]).answer()
        return answer.status

    paths = ("/healthz", "/agents", "/openapi.json", "/x")
    assert [run(ask(path)) for path in paths] == [200, 401, 401, 401]


def test_a_callable_decides_and_may_refuse_in_its_own_words() -> None:
    async def authenticate(request: Request) -> Principal | None:
        await asyncio.sleep(0)
        user = request.headers.get("x-user")
        if user == "eve":
            raise RefusedError(403, "BANNED", "Go away.")
        return Principal(id=user, claims={"plan": "gold"}) if user else None

    async def plan(ctx: RunContext[Any]) -> None:
        ctx.say(ctx.request.principal.claims["plan"])

    application = endpoint(plan, authenticate=authenticate)
    assert b"gold" in send(application, headers={**JSON, "x-user": "ada"}).body
    assert send(application, headers=JSON).status == 401
    assert send(application, headers={**JSON, "x-user": "eve"}).json["code"] == "BANNED"


def test_an_authenticator_that_fails_lets_nobody_in(caplog: pytest.LogCaptureFixture) -> None:
    async def authenticate(request: Request) -> Principal | None:
        raise RuntimeError("the database is gone")

    answer = send(endpoint(hello, authenticate=authenticate))
    assert (answer.status, answer.json["code"]) == (500, "INTERNAL_ERROR")
    assert b"database" not in answer.body


def cancel(gateway: Gateway, run_id: str, headers: dict[str, str]) -> Connection:
    return post(gateway, f"/agents/waiting/runs/{run_id}/cancel", b"", headers)


def test_a_run_is_stopped_by_its_owner_alone() -> None:
    async def scenario() -> None:
        waiting = Waiting()
        gateway = Gateway({"waiting": waiting}, KEYS)
        open = post(gateway, "/agents/waiting", RUN, {**JSON, "x-api-key": KEY})
        await open.until(b"waiting")
        assert (await cancel(gateway, "r1", {}).answer()).status == 401
        assert (await cancel(gateway, "r1", {"x-api-key": "bob's"}).answer()).status == 403
        assert (await cancel(gateway, "r2", {"x-api-key": KEY}).answer()).status == 404
        assert not waiting.interrupted.is_set()
        answer = await cancel(gateway, "r1", {"x-api-key": KEY}).answer()
        assert (answer.status, answer.json) == (202, {"runId": "r1", "status": "cancelling"})
        assert (await open.answer()).types[-1] == "RUN_FINISHED"
        await until(lambda: not gateway.runs)
        assert (await cancel(gateway, "r1", {"x-api-key": KEY}).answer()).status == 404

    run(scenario())


def test_a_run_of_somebody_else_is_as_unknown_as_none() -> None:
    async def authenticate(request: Request) -> Principal | None:
        return Principal(id=request.headers["x-user"])

    async def scenario() -> None:
        gateway = Gateway({"waiting": Waiting()}, authenticate=authenticate)
        open = post(gateway, "/agents/waiting", RUN, {**JSON, "x-user": "ada"})
        await open.until(b"waiting")
        foreign = await cancel(gateway, "r1", {"x-user": "eve"}).answer()
        unknown = await cancel(gateway, "r9", {"x-user": "eve"}).answer()
        assert (foreign.status, foreign.body) == (404, unknown.body)
        assert (await cancel(gateway, "r1", {"x-user": "ada"}).answer()).status == 202
        await open.task

    run(scenario())


def test_a_run_id_may_hold_anything() -> None:
    async def scenario() -> None:
        gateway = Gateway({"waiting": Waiting()})
        open = post(gateway, "/agents/waiting", {**RUN, "runId": "a/runs/b\n%"})
        await open.until(b"waiting")
        assert (await cancel(gateway, "a/runs/b\n%", {}).answer()).status == 202
        await open.task

    run(scenario())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/agents/waiting/runs/r1/cancel", 405),
        ("POST", "/agents/nobody/runs/r1/cancel", 404),
        ("POST", "/agents/waiting/runs//cancel", 404),
        ("POST", "/agents/waiting/runs/cancel", 404),
    ],
)
def test_other_ways_to_cancel_are_refused(method: str, path: str, status: int) -> None:
    async def ask() -> Answer:
        gateway = Gateway({"waiting": Waiting()})
        return await Connection(gateway, http_scope(method, path), [b""]).answer()

    assert run(ask()).status == status


@pytest.mark.parametrize("digest", ["", "abc", "A" * 64, "g" * 64, KEY])
def test_a_key_in_place_of_its_digest_is_an_error_that_does_not_show_it(digest: str) -> None:
    with pytest.raises(ValueError, match="sha256 must be 64 lower-case hex digits") as caught:
        ApiKey(principal="ada", sha256=digest)
    assert KEY not in str(caught.value)
