"""A remote agent behind a gateway: what its faults become, what passes, what is left behind."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from gateway.agent import Limits, Options, Runner
from gateway.agent.outgoing import CALLER
from gateway.client import Bounds, Breaker, Call, RemoteAgent
from gateway.errors import UnavailableError, UpstreamError
from gateway.protocol.events import EVENTS
from gateway.protocol.input import RunAgentInput
from gateway.protocol.proto import MEDIA_TYPE, ProtoReader, encode_proto
from gateway.server import Gateway
from gateway_native.chain import Transformer
from tests.client.gateway import SPOKEN, Front, code, fronted, same, types
from tests.client.upstream import Reply, Request, Upstream, finished, frames, started, text
from tests.served import free_port
from tests.server.asgi import RUN, Connection, fetch, http_scope, run, until

GOOD_EVENTS = [started(), *text(*"abcdefgh"), finished(outcome={"type": "success"})]
GOOD = Reply(frames(*GOOD_EVENTS))
ERROR = {"type": "RUN_ERROR", "message": "no", "code": "OWN"}


def view(reply: Reply | None, *more: Reply | None, **settings: Any) -> list[dict[str, Any]]:
    """What a viewer gets of an upstream that gives these replies."""

    async def scenario() -> list[dict[str, Any]]:
        async with fronted(Upstream(reply, *more), **settings) as front:
            return await front.view()

    return run(scenario())


def test_a_run_passes_unchanged() -> None:
    assert same(view(GOOD), GOOD_EVENTS)


def test_one_chunk_or_one_byte_at_a_time_makes_no_difference() -> None:
    body = b"".join(GOOD.pieces)
    assert same(view(Reply([body])), GOOD_EVENTS)
    assert same(view(Reply([body[i : i + 1] for i in range(len(body))])), GOOD_EVENTS)


def test_the_agents_own_error_passes_with_its_code() -> None:
    events = view(Reply(frames(started(), *text("a"), ERROR)))
    assert events[-1] == ERROR


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(frames(started(), *text("a"))), "UPSTREAM_TRUNCATED"),
        (Reply([]), "UPSTREAM_TRUNCATED"),
        (Reply(frames(started()), end="reset"), "UPSTREAM_TRUNCATED"),
        (Reply([b"<html>"], headers={"content-type": "text/html"}), "UPSTREAM_NO_STREAM"),
        (Reply([b"{}"], headers={"content-type": "application/json"}), "UPSTREAM_NO_STREAM"),
        (Reply([b"secret"], 401), "UPSTREAM_STATUS"),
        (Reply([b"secret"], 500), "UPSTREAM_STATUS"),
        (Reply(end="refuse"), "UPSTREAM_UNREACHABLE"),
        (Reply([*frames(started()), b"data: {]\n\n"]), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(), *text("a")[1:], finished())), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(), *text("a")[:2], finished())), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(), finished(), *text("a"))), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(), finished(), finished())), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(run="r9"), finished(run="r9"))), "UPSTREAM_VIOLATION"),
        (Reply(frames(started(thread="t9"), finished(thread="t9"))), "UPSTREAM_VIOLATION"),
        (Reply([*frames(started()), b"data: " + b"x" * 2000], end="hang"), "UPSTREAM_LIMIT"),
        (Reply(frames(started()), end="hang"), "UPSTREAM_TIMEOUT"),
        (None, "UPSTREAM_TIMEOUT"),
    ],
)
def test_each_fault_has_its_code_and_a_clean_end(reply: Reply | None, expected: str) -> None:
    events = view(reply, bounds=Bounds(first_event=0.2, idle=0.2, frame=1000))
    assert code(events) == expected
    assert events[0]["type"] == "RUN_STARTED"
    assert "RUN_FINISHED" not in types(events)
    assert "secret" not in str(events)
    assert "127.0.0.1" not in str(events)


def test_a_violation_names_rule_and_event_to_the_viewer() -> None:
    events = view(Reply(frames(started(), {"type": "TEXT_MESSAGE_END", "messageId": "m9"})))
    assert "not-open" in events[-1]["message"]
    assert "TEXT_MESSAGE_END" in events[-1]["message"]


def test_what_came_before_a_fault_was_delivered_and_is_closed() -> None:
    events = view(Reply(frames(started(), *text("a")[:2])))
    assert types(events) == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_ERROR",
    ]


def test_nothing_listens() -> None:
    async def scenario() -> list[dict[str, Any]]:
        front = Front(RemoteAgent(f"http://127.0.0.1:{free_port()}/"))
        events = await front.view()
        await front.gateway.close()
        return events

    assert code(run(scenario())) == "UPSTREAM_UNREACHABLE"


def test_a_late_error_makes_the_run_fail() -> None:
    events = view(Reply(frames(started(), finished(), ERROR)))
    assert types(events) == ["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"]


def test_a_stream_may_carry_several_runs() -> None:
    runs = [
        started("r0"),
        *text("old"),
        finished("r0"),
        started(),
        *text("new", id="m2"),
        finished(),
    ]
    assert same(view(Reply(frames(*runs))), runs)


def test_an_upstream_that_never_closes_is_left_after_its_terminal() -> None:
    reply = Reply(GOOD.pieces, end="hang")
    assert same(view(reply, bounds=Bounds(linger=0.05)), GOOD_EVENTS)


def test_ids_can_be_rewritten() -> None:
    sent = [started("r9", "t9"), *text("a"), finished("r9", "t9")]
    events = view(Reply(frames(*sent)), ids="rewrite")
    assert same(events, [started(), *text("a"), finished()])


def test_repair_closes_what_is_open_and_drops_a_second_terminal() -> None:
    step = {"type": "STEP_STARTED", "stepName": "s"}
    sent = [started(), step, *text("a")[:2], finished(), finished()]
    events = view(Reply(frames(*sent)), repair="close")
    assert types(events)[-3:] == ["TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"]
    assert types(events).count("RUN_FINISHED") == 1


def test_repair_ends_chunks_before_what_is_open() -> None:
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "delta": "b"}
    sent = [started(), *text("a")[:2], chunk, finished()]
    assert code(view(Reply(frames(*sent)), repair="close")) == ""


def test_repair_never_makes_up_an_end() -> None:
    assert code(view(Reply(frames(started(), *text("a"))), repair="close")) == "UPSTREAM_TRUNCATED"
    sent = frames(started(), finished(), ERROR, ERROR)
    assert types(view(Reply(sent), repair="close"))[-2:] == ["RUN_FINISHED", "RUN_ERROR"]


def test_a_second_try_is_invisible_before_the_first_event() -> None:
    assert same(view(Reply([], 503), GOOD), GOOD_EVENTS)
    assert same(view(Reply(end="refuse"), GOOD), GOOD_EVENTS)
    assert same(view(Reply([b": hello\n\n"], end="reset"), GOOD), GOOD_EVENTS)


def test_there_is_no_second_try_after_the_first_event_or_a_refusal() -> None:
    assert code(view(Reply(frames(started())), GOOD)) == "UPSTREAM_TRUNCATED"
    assert code(view(Reply([], 422), GOOD)) == "UPSTREAM_STATUS"


def _agreeing(a: Upstream, b: Upstream, **settings: Any) -> RemoteAgent:
    return RemoteAgent([a.url, b.url], **settings)


def test_failover_goes_in_order_and_skips_what_is_broken() -> None:
    async def scenario() -> None:
        async with Upstream(Reply([], 503)).serving() as a, Upstream(GOOD).serving() as b:
            front = Front(_agreeing(a, b, breaker=Breaker(failures=2, cooldown=60)))
            for _ in range(5):
                assert code(await front.view()) == ""
            await front.gateway.close()
            assert (len(a.requests), len(b.requests)) == (2, 5)

    run(scenario())


def test_with_every_server_shunned_a_run_fails_at_once() -> None:
    async def scenario() -> None:
        async with Upstream(Reply([], 500)).serving() as a:
            front = Front(RemoteAgent(a.url, breaker=Breaker(failures=2, cooldown=60)))
            assert code(await front.view()) == "UPSTREAM_STATUS"
            assert code(await front.view()) == "UPSTREAM_UNAVAILABLE"
            await front.gateway.close()
            assert len(a.requests) == 2

    run(scenario())


def test_threads_stick_and_spread() -> None:
    async def scenario() -> None:
        def echo(request: Request) -> Reply:
            ids = request.json
            return Reply(
                frames(
                    started(ids["runId"], ids["threadId"]), finished(ids["runId"], ids["threadId"])
                )
            )

        async with Upstream(answer=echo).serving() as a, Upstream(answer=echo).serving() as b:
            front = Front(_agreeing(a, b, spread="sticky"))
            for _ in range(2):
                for n in range(16):
                    assert code(await front.view({**SPOKEN, "threadId": f"t{n}"})) == ""
            await front.gateway.close()
            of_a = [request.json["threadId"] for request in a.requests]
            of_b = [request.json["threadId"] for request in b.requests]
            assert not set(of_a) & set(of_b)
            assert 3 <= len(set(of_a)) <= 13
            assert sorted(of_a + of_b) == sorted(2 * [f"t{n}" for n in range(16)])

    run(scenario())


def test_configured_headers_win_and_others_pass_by_allow_list() -> None:
    async def scenario() -> None:
        upstream = Upstream(GOOD)
        async with fronted(
            upstream, headers={"Authorization": "S"}, forward_headers=["authorization", "x-token"]
        ) as front:
            await front.view(
                headers={"authorization": "U", "x-token": "t", "cookie": "c", "te": "trailers"}
            )
        (request,) = upstream.requests
        assert request.headers["authorization"] == "S"
        assert request.headers["x-token"] == "t"
        assert "cookie" not in request.headers
        assert "te" not in request.headers

    run(scenario())


def test_cookies_of_one_user_never_reach_another() -> None:
    async def scenario() -> None:
        headers = {"content-type": "text/event-stream", "set-cookie": "session=mine"}
        upstream = Upstream(Reply(GOOD.pieces, headers=headers))
        async with fronted(upstream) as front:
            await front.view()
            await front.view()
        assert "cookie" not in upstream.requests[1].headers

    run(scenario())


def test_the_input_passes_with_the_gateways_version_and_without_activities() -> None:
    async def scenario() -> None:
        upstream = Upstream(GOOD)
        image = {"type": "image", "source": {"type": "url", "value": "http://10.0.0.1/x"}}
        messages = [
            {"id": "u", "role": "user", "content": [image]},
            {"id": "x", "role": "activity", "activityType": "A", "content": {}},
        ]
        props = {"z": [1, None, {"a": 1.5}], "a": "ü"}
        body = {**RUN, "messages": messages, "forwardedProps": props, "parentRunId": "p"}
        async with fronted(upstream) as front:
            await front.view(body)
        sent = upstream.requests[0].json
        assert sent["protocolVersion"] == "1.0"
        assert sent["messages"] == messages[:1]
        assert sent["forwardedProps"] == props
        assert sent["parentRunId"] == "p"

    run(scenario())


def test_an_old_viewer_gets_what_it_understands() -> None:
    sent = [started(), finished(outcome={"type": "cancelled"})]

    async def scenario() -> list[dict[str, Any]]:
        async with fronted(Upstream(Reply(frames(*sent)))) as front:
            return await front.view(RUN)

    last = run(scenario())[-1]
    assert "outcome" not in last
    assert last["metadata"] == {"reason": "cancelled"}


def test_retired_events_of_an_old_upstream_are_translated() -> None:
    thinking = [
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "hm"},
        {"type": "THINKING_TEXT_MESSAGE_END"},
    ]
    events = view(Reply(frames(started(), *thinking, finished())))
    assert "REASONING_MESSAGE_CONTENT" in types(events)


def test_unknown_events_and_members_are_stripped() -> None:
    odd = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "x", "zzz": 1}
    sent = [started(), {"type": "NEW_KIND"}, text()[0], odd, odd, odd, text()[-1], finished()]
    events = view(Reply(frames(*sent)))
    assert "NEW_KIND" not in types(events)
    assert "zzz" not in str(events)


class Shout(Transformer):
    """Upper case for every delta."""

    def transform(self, event: Any) -> Any:
        if event.type != "TEXT_MESSAGE_CONTENT":
            return event
        return event.__replace__(delta=event.delta.upper())


def test_transformers_see_every_event() -> None:
    async def scenario() -> list[dict[str, Any]]:
        options = Options(transformers=(Shout,))
        async with fronted(Upstream(GOOD), options) as front:
            return await front.view()

    deltas = [event["delta"] for event in run(scenario()) if "delta" in event]
    assert deltas == list("ABCDEFGH")


def test_limits_hold_for_what_is_forwarded() -> None:
    async def scenario() -> list[dict[str, Any]]:
        options = Options(limits=Limits(max_events=5))
        async with fronted(Upstream(Reply([b"".join(GOOD.pieces)])), options) as front:
            return await front.view()

    assert code(run(scenario())) == "LIMIT_EXCEEDED"


def test_a_viewer_that_leaves_closes_the_upstream_within_a_second() -> None:
    async def scenario() -> float:
        upstream = Upstream(Reply(frames(started(), *text("a")), end="hang"))
        async with fronted(upstream) as front:
            viewer = front.post()
            await viewer.until(b"TEXT_MESSAGE_END")
            assert upstream.open == 1
            began = time.monotonic()
            viewer.leave()
            await upstream.left()
            return time.monotonic() - began

    assert run(scenario()) < 1


def test_a_viewer_that_leaves_before_the_answer_closes_the_upstream() -> None:
    async def scenario() -> None:
        upstream = Upstream(None)
        async with fronted(upstream) as front:
            viewer = front.post()
            await until(lambda: upstream.open == 1)
            viewer.leave()
            await upstream.left()

    run(scenario())


def test_shutdown_ends_the_run_and_closes_the_upstream() -> None:
    async def scenario() -> bytes:
        upstream = Upstream(Reply(frames(started()), end="hang"))
        async with fronted(upstream) as front:
            viewer = front.post()
            await viewer.until(b"RUN_STARTED")
            front.gateway.stop()
            await viewer.task
            return viewer.body

    assert b"SHUTTING_DOWN" in run(scenario())


def test_a_slow_viewer_holds_the_upstream_back() -> None:
    async def scenario() -> None:
        big = frames(started(), *text(*["x" * 10_000] * 3000), finished())
        upstream = Upstream(Reply(big))
        async with fronted(upstream, Options(limits=Limits(max_pending=4 << 20))) as front:
            viewer = front.post()
            await viewer.until(b"RUN_STARTED")
            viewer.accepting.clear()
            for _ in range(200):
                await asyncio.sleep(0)
            held = len(viewer.body)
            viewer.accepting.set()
            await viewer.task
            assert held < len(viewer.body) > 30_000_000
            assert b"LIMIT_EXCEEDED" not in viewer.body

    run(scenario())


def test_each_request_is_reported() -> None:
    calls: list[Call] = []
    view(Reply([], 503), GOOD, on_call=calls.append)
    assert [(call.attempt, call.code) for call in calls] == [(1, "UPSTREAM_STATUS"), (2, "")]
    assert (calls[0].first_event, calls[0].events) == (None, 0)
    assert calls[1].events == len(GOOD_EVENTS)
    assert calls[1].bytes == sum(map(len, GOOD.pieces))
    assert calls[1].upstream.startswith("http://127.0.0.1:")


def test_the_metrics_count_each_request() -> None:
    async def scenario() -> tuple[str, bytes]:
        async with fronted(Upstream(Reply([], 503), GOOD)) as front:
            await front.view()
            url = front.agent.upstreams.all[0].url
            scope = http_scope("GET", "/metrics")
            return str(url), (await Connection(front.gateway, scope, [b""]).answer()).body

    url, text = run(scenario())
    for ending in ("UPSTREAM_STATUS", ""):
        labels = f'{{code="{ending}",upstream="{url}"}}'
        assert f"agui_upstream_calls_total{labels} 1.0" in text.decode()
    assert f'agui_upstream_call_seconds_count{{upstream="{url}"}} 2.0' in text.decode()


def test_the_index_shows_what_the_agent_declares() -> None:
    agent = RemoteAgent("http://127.0.0.1:1/", description="far away")
    (entry,) = fetch(Gateway({"far": agent}), "/agents").json["agents"]
    assert entry == {"name": "far", "description": "far away"}


@pytest.mark.parametrize(
    "settings",
    [
        {"urls": []},
        {"urls": ["http://a/", "http://a/"]},
        {"urls": "file:///etc/passwd"},
        {"urls": "http://a/", "ids": "guess"},
        {"urls": "http://a/", "repair": "all"},
        {"urls": "http://a/", "spread": "random"},
        {"urls": "http://a/", "attempts": 0},
        {"urls": "http://a/", "ceiling": "new"},
        {"urls": "http://a/", "forward_headers": ["connection"]},
    ],
)
def test_nonsense_is_refused_at_once(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        RemoteAgent(**settings)


def test_an_error_tells_when_to_try_again() -> None:
    assert UnavailableError(12.4).retry_after == 12.4


def test_a_delta_that_applies_to_nothing_is_the_viewers_affair() -> None:
    patch = [{"op": "replace", "path": "/missing", "value": 1}]
    sent = [started(), {"type": "STATE_DELTA", "delta": patch}, finished()]
    assert same(view(Reply(frames(*sent))), sent)


def test_a_viewer_in_this_process_gets_events() -> None:
    async def scenario() -> list[str]:
        async with Upstream(Reply([b"".join(GOOD.pieces)])).serving() as upstream:
            agent = RemoteAgent(upstream.url)
            input = RunAgentInput("t1", "r1", protocol_version="1.0")
            found = [event.type async for event in Runner(agent).run(input)]
            await agent.close()
            return found

    assert run(scenario()) == types(GOOD_EVENTS)


def test_a_viewer_of_protobuf_and_an_upstream_of_protobuf() -> None:
    def framed(*events: dict[str, Any]) -> bytes:
        return b"".join(encode_proto(msgspec.convert(e, EVENTS[e["type"]])) for e in events)

    async def scenario() -> None:
        headers = {"content-type": MEDIA_TYPE}
        upstream = Upstream(Reply([framed(*GOOD_EVENTS)], headers=headers), GOOD)
        async with fronted(upstream, protobuf=True) as front:
            for _ in range(2):
                answer = await front.post(headers={"accept": MEDIA_TYPE}).answer()
                assert answer.headers["content-type"] == MEDIA_TYPE
                reader = ProtoReader()
                assert same([*reader.feed(answer.body), *reader.finish()], GOOD_EVENTS)
        assert MEDIA_TYPE in upstream.requests[0].headers["accept"]

    run(scenario())


def test_each_run_after_a_failed_one_starts_afresh() -> None:
    async def scenario() -> None:
        broken = Reply(frames(started(), *text("a")[:2]))
        async with fronted(Upstream(broken, GOOD)) as front:
            assert code(await front.view()) == "UPSTREAM_TRUNCATED"
            assert same(await front.view(), GOOD_EVENTS)

    run(scenario())


class Watching:
    """A tracer that notes calls and how they ended."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @contextmanager
    def call(self, method: str, url: str, /) -> Iterator[Mapping[str, str]]:
        try:
            yield {"traceparent": "00-1-2-01"}
        except UpstreamError as error:
            self.calls.append(f"{method} {url} {error.code}")
            raise
        self.calls.append(f"{method} {url}")


def test_each_request_is_a_traced_call() -> None:
    async def scenario() -> None:
        watching = Watching()
        CALLER.set(watching)
        upstream = Upstream(Reply([], 503), GOOD)
        async with fronted(upstream) as front:
            await front.view()
        assert watching.calls == [f"POST {upstream.url} UPSTREAM_STATUS", f"POST {upstream.url}"]
        assert [r.headers["traceparent"] for r in upstream.requests] == ["00-1-2-01"] * 2

    run(scenario())
