"""The counters of a gateway, read as a scraper does."""

import asyncio
import hashlib
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway.agent import RunContext, RunOutcome
from gateway.errors import AgentError, OrderingError
from gateway.protocol.events import TextMessageEnd
from gateway.server import Gateway, Settings
from gateway.server.metrics import MOST_CODES, OTHER, Codes
from gateway.server.operations import Metrics
from tests.server.asgi import Answer, Connection, fetch, http_scope, post, run, send

KEY = "planted-metrics-key"
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def hello(ctx: RunContext[Any]) -> None:
    ctx.say("hello")


async def rude(ctx: RunContext[Any]) -> None:
    for _ in range(2):
        with pytest.raises(OrderingError):
            ctx.emit(TextMessageEnd("nowhere"))


async def failing(ctx: RunContext[Any]) -> None:
    raise AgentError("no", ctx.last_user_text or "MY_CODE")


async def stopping(ctx: RunContext[Any]) -> RunOutcome:
    return RunOutcome.cancelled()


async def waiting(ctx: RunContext[Any]) -> None:
    ctx.say("waiting")
    await asyncio.Event().wait()


def samples(text: bytes) -> Samples:
    found: Samples = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            found[sample.name, frozenset(sample.labels.items())] = sample.value
    return found


def scrape(gateway: Gateway) -> Samples:
    return samples(fetch(gateway, "/metrics").body)


def value(found: Samples, name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


def test_runs_are_counted_by_agent_outcome_and_code() -> None:
    gateway = Gateway({"hello": hello, "failing": failing, "stopping": stopping})
    for name in ("hello", "hello", "failing", "stopping"):
        send(gateway, f"/agents/{name}")
    found = scrape(gateway)
    assert value(found, "agui_runs_started_total", agent="hello") == 2
    ended = "agui_runs_ended_total"
    assert value(found, ended, agent="hello", outcome="success", code="") == 2
    assert value(found, ended, agent="failing", outcome="error", code="MY_CODE") == 1
    assert value(found, ended, agent="stopping", outcome="cancelled", code="") == 1
    assert value(found, "agui_run_duration_seconds_count", agent="hello") == 2
    assert value(found, "agui_first_event_seconds_count", agent="hello") == 2


def test_events_and_bytes_are_those_that_went_out() -> None:
    gateway = Gateway({"hello": hello})
    answer = send(gateway, "/agents/hello")
    found = scrape(gateway)
    assert value(found, "agui_events_total", agent="hello") == len(answer.types)
    assert value(found, "agui_stream_bytes_total", agent="hello") == len(answer.body)


def test_a_violation_counts_though_the_agent_caught_it() -> None:
    gateway = Gateway({"rude": rude})
    send(gateway, "/agents/rude")
    found = scrape(gateway)
    assert value(found, "agui_violations_total", agent="rude", rule="not-open") == 2


def test_active_runs_and_why_they_were_cancelled() -> None:
    gateway = Gateway({"waiting": waiting})

    async def scenario() -> tuple[Samples, Samples]:
        connection = post(gateway, "/agents/waiting")
        await connection.until(b"waiting")
        during = await Connection(gateway, http_scope("GET", "/metrics"), [b""]).answer()
        connection.leave()
        await connection.task
        await gateway.runs.closed()
        after = await Connection(gateway, http_scope("GET", "/metrics"), [b""]).answer()
        return samples(during.body), samples(after.body)

    during, after = run(scenario())
    assert value(during, "agui_runs_active", agent="waiting") == 1
    assert value(after, "agui_runs_active", agent="waiting") == 0
    assert value(after, "agui_cancellations_total", agent="waiting", reason="client-left") == 1


def test_refused_requests_are_counted_by_code() -> None:
    gateway = Gateway({"hello": hello})
    send(gateway, "/agents/hello", b"{")
    send(gateway, "/agents/none")
    found = scrape(gateway)
    name = "agui_requests_rejected_total"
    assert value(found, name, code="INVALID_INPUT", status="400") == 1
    assert value(found, name, code="NOT_FOUND", status="404") == 1


def test_codes_that_agents_invent_make_no_endless_series() -> None:
    codes = Codes()
    labels = {codes.label(f"CODE_{number}") for number in range(1000)}
    assert len(labels) == MOST_CODES + 1
    assert OTHER in labels
    assert Codes().label("no name: \n") == OTHER


def test_a_key_is_demanded_where_one_is_set() -> None:
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    gateway = Gateway({"hello": hello}, Settings(metrics=Metrics(key_sha256=digest)))

    def ask(*headers: tuple[str, str]) -> Answer:
        async def scenario() -> Answer:
            return await Connection(gateway, http_scope("GET", "/metrics", headers), [b""]).answer()

        return run(scenario())

    for refused in (ask(), ask(("authorization", "Bearer x")), ask(("authorization", KEY))):
        assert refused.status == 401
        assert KEY not in refused.body.decode()
    assert ask(("authorization", f"Bearer {KEY}")).status == 200


def test_the_format_is_negotiated() -> None:
    answer = fetch(Gateway({"hello": hello}), "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert fetch(Gateway({"hello": hello}), "/metrics", "POST").status == 405


def test_metrics_can_be_switched_off() -> None:
    gateway = Gateway({"hello": hello}, Settings(metrics=Metrics(enabled=False)))
    assert fetch(gateway, "/metrics").status == 404
    assert send(gateway, "/agents/hello").status == 200


@pytest.mark.parametrize("digest", ["x", "A" * 64, "0" * 63])
def test_a_key_that_is_no_digest_is_refused(digest: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        Metrics(key_sha256=digest)
