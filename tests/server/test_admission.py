"""Limits for runs and requests."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.agent import RunContext
from gateway.errors import RefusedError
from gateway.server import AgentSettings, Gateway, Principal, Quotas, Settings, endpoint
from gateway.server.admission import CALLERS, Admission, Rates
from tests.server.asgi import JSON, Answer, Connection, fetch, http_scope, post, run, until
from tests.server.test_endpoint import Waiting, hello


class Clock:
    """Stands still until it is told to go on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def refused(act: Callable[[], Any]) -> tuple[int, str, dict[bytes, bytes]]:
    with pytest.raises(RefusedError) as caught:
        act()
    return caught.value.status, caught.value.code, dict(caught.value.headers)


def test_a_place_is_given_back_once() -> None:
    admission = Admission(Quotas(max_runs=1))
    place = admission.enter("a", "p", 0)
    assert refused(admission.require_room) == (503, "OVERLOADED", {b"retry-after": b"1"})
    place.leave()
    place.leave()
    assert admission.total == 0
    admission.require_room()


def test_each_agent_and_each_principal_has_a_limit_of_its_own() -> None:
    admission = Admission(Quotas(max_runs_per_principal=2, retry_after=7))
    first = admission.enter("a", "p", 1)
    assert refused(lambda: admission.enter("a", "q", 1))[:2] == (429, "TOO_MANY_RUNS")
    admission.enter("b", "p", 1)
    assert refused(lambda: admission.enter("c", "p", 1))[2] == {b"retry-after": b"7"}
    admission.enter("c", "q", 1)
    admission.enter("d", None, 1)
    first.leave()
    admission.enter("a", "p", 1)
    assert admission.total == 4


def test_zero_is_no_limit() -> None:
    admission = Admission(Quotas(max_runs=0))
    for _ in range(100):
        admission.enter("a", "p", 0)
    admission.require_room()


def test_a_burst_is_let_through_and_then_the_rate() -> None:
    clock = Clock()
    rates = Rates(2.0, 3, clock)
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert rates.take("b") == 0
    clock.now += 0.5
    assert rates.take("a") == 0
    assert rates.take("a") == 0.5
    clock.now += 100
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_callers_are_forgotten_oldest_first() -> None:
    rates = Rates(0.001, 1, Clock())
    for number in range(CALLERS + 1):
        assert rates.take(str(number)) == 0
    assert rates.take("0") == 0
    assert rates.take(str(CALLERS)) > 0


@given(
    rate=st.floats(0.1, 50),
    burst=st.integers(1, 20),
    pauses=st.lists(st.floats(0, 2), max_size=60),
)
def test_no_caller_gets_more_than_burst_and_rate(
    rate: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    rates = Rates(rate, burst, clock)
    began, admitted = clock.now, 0
    for pause in pauses:
        clock.now += pause
        admitted += rates.take("a") == 0
        assert admitted <= burst + (clock.now - began) * rate + 1e-6


def test_requests_beyond_the_rate_are_told_when_to_come_back() -> None:
    gateway = Gateway({"hello": hello}, Settings(quotas=Quotas(requests_per_second=0.01, burst=1)))
    assert fetch(gateway, "/agents").status == 200
    answer = fetch(gateway, "/agents")
    assert (answer.status, answer.json["code"]) == (429, "RATE_LIMITED")
    assert 0 < int(answer.headers["retry-after"]) <= 100


def test_health_is_never_limited() -> None:
    async def scenario() -> None:
        waiting = Waiting()
        quotas = Quotas(max_runs=1, requests_per_second=0.01, burst=1)
        gateway = Gateway({"waiting": waiting}, Settings(quotas=quotas))
        open = post(gateway, "/agents/waiting")
        await open.until(b"waiting")
        for _ in range(3):
            ask = Connection(gateway, http_scope("GET", "/healthz"), [b""])
            assert (await ask.answer()).status == 200
        answer = await post(gateway, "/agents/waiting").answer()
        assert (answer.status, answer.json["code"]) == (503, "OVERLOADED")
        open.leave()
        await until(lambda: gateway.admission.total == 0)

    run(scenario())


def test_a_place_is_taken_before_the_body_and_given_back_when_it_is_refused() -> None:
    async def scenario() -> None:
        application = endpoint(hello, Settings(quotas=Quotas(max_runs_per_agent=1)))
        slow = Connection(application, http_scope("POST", "/", JSON.items()), [b"{"], False)
        await until(lambda: application.admission.total == 1)
        assert (await post(application).answer()).status == 429
        slow.leave()
        await until(lambda: application.admission.total == 0)
        assert (await post(application, body=b"{").answer()).status == 400
        assert (await post(application).answer()).status == 200
        await until(lambda: application.admission.total == 0)

    run(scenario())


def test_an_agent_may_have_a_limit_of_its_own() -> None:
    async def scenario() -> None:
        gateway = Gateway(
            {"a": Waiting(), "b": Waiting()}, Settings(agents={"a": AgentSettings(max_runs=1)})
        )
        open = [post(gateway, f"/agents/{name}") for name in ("a", "b", "b")]
        for connection in open:
            await connection.until(b"waiting")
        assert (await post(gateway, "/agents/a").answer()).status == 429
        for connection in open:
            connection.leave()

    run(scenario())


def test_settings_of_an_unknown_agent_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"agents\.x: there is no such agent"):
        Gateway({"hello": hello}, Settings(agents={"x": AgentSettings()}))


def test_refusals_come_in_their_order() -> None:
    """Each request lacks one thing less than the one before."""

    async def authenticate(request: Any) -> Principal | None:
        user = request.headers.get("x-user")
        return Principal(id=user, agents=("waiting", "gone")) if user else None

    waiting = Waiting()
    quotas = Quotas(max_runs=2, max_runs_per_principal=1)
    gateway = Gateway(
        {"waiting": waiting, "hello": hello},
        Settings(quotas=quotas, max_body=50),
        authenticate=authenticate,
    )
    big, bad = b"x" * 51, b"{"

    async def ask(method: str, name: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        scope = http_scope(method, f"/agents/{name}", headers.items())
        return await Connection(gateway, scope, [body]).answer()

    async def scenario() -> list[int]:
        page = {"content-type": "text/plain", "accept": "image/png"}
        first = post(gateway, "/agents/waiting", headers={"x-user": "u"})
        second = post(gateway, "/agents/waiting", headers={"x-user": "v"})
        await first.until(b"waiting")
        await second.until(b"waiting")
        answers = [await ask("GET", "hello", {})]
        second.leave()
        await until(lambda: gateway.admission.total == 1)
        user = {"x-user": "u"}
        answers += [
            await ask("GET", "hello", {}),
            await ask("GET", "hello", user),
            await ask("GET", "gone", user),
            await ask("GET", "waiting", user),
            await ask("POST", "waiting", {**user, **page}, big),
        ]
        first.leave()
        await until(lambda: gateway.admission.total == 0)
        answers += [
            await ask("POST", "waiting", {**user, **page}, big),
            await ask("POST", "waiting", {**user, "content-type": "text/plain"}, big),
            await ask("POST", "waiting", user, big),
            await ask("POST", "waiting", user, bad),
        ]
        return [answer.status for answer in answers]

    assert run(scenario()) == [503, 401, 403, 404, 405, 429, 406, 415, 413, 400]


async def count(ctx: RunContext[Any]) -> None:
    """Says nothing."""
    await asyncio.sleep(0)


def test_many_runs_at_once_never_exceed_the_limit() -> None:
    async def scenario() -> list[int]:
        application = endpoint(count, Settings(quotas=Quotas(max_runs=5)))
        open = [post(application) for _ in range(50)]
        statuses = [(await connection.answer()).status for connection in open]
        await until(lambda: application.admission.total == 0)
        return statuses

    statuses = run(scenario())
    assert set(statuses) == {200, 503}
    assert statuses.count(200) >= 5
