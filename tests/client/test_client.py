"""The client against a server that says exactly what it is told to."""

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest

from gateway.agent import RunContext
from gateway.client import Bounds, Client, RecordedTransport
from gateway.errors import (
    AnswerError,
    ExcessError,
    MalformedError,
    NotAStreamError,
    SilenceError,
    TruncatedRunError,
    UnreachableError,
    UpstreamError,
    ViolationError,
)
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.notices import Notice
from tests.client.upstream import Reply, Upstream, finished, frames, started, text
from tests.served import free_port
from tests.server.asgi import run

INPUT = RunAgentInput("t1", "r1")
GOOD = Reply(frames(started(), *text("hi"), finished()))


async def _collect(client: Client, into: list[Event] | None = None) -> list[str]:
    found = [] if into is None else into
    async for event in client.run(INPUT):
        found.append(event)
    return [event.type for event in found]


def _types(*replies: Reply | None, bounds: Bounds = Bounds(), **options: Any) -> list[str]:
    async def scenario() -> list[str]:
        async with (
            Upstream(*replies).serving() as upstream,
            Client(upstream.url, bounds=bounds, **options) as client,
        ):
            types = await _collect(client)
            await client.close()
        return types

    return run(scenario())


def _fails(error: type[UpstreamError], reply: Reply | None, **options: Any) -> Any:
    """What a run raises, and the types of the events before it, at `.seen`."""

    async def scenario() -> Any:
        seen: list[Event] = []
        async with (
            Upstream(reply).serving() as upstream,
            Client(upstream.url, **options) as client,
        ):
            with pytest.raises(error) as caught:
                await _collect(client, seen)
            await client.close()
        return caught.value, [event.type for event in seen]

    return run(scenario())


def test_events_come_verified_and_expanded() -> None:
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "hi"}
    reply = Reply(frames(started(), chunk, finished()))
    assert _types(reply) == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]


def test_the_agents_own_error_is_an_event() -> None:
    error = {"type": "RUN_ERROR", "message": "no", "code": "X"}
    assert _types(Reply(frames(started(), error))) == ["RUN_STARTED", "RUN_ERROR"]


def test_crlf_frames_and_a_byte_order_mark_are_read() -> None:
    body = b"\xef\xbb\xbf: hello\r\n\r\n" + b"".join(GOOD.pieces).replace(b"\n", b"\r\n")
    assert len(_types(Reply([body]))) == 5


def test_a_compressed_answer_is_read_though_none_was_asked_for() -> None:
    body = gzip.compress(b"".join(GOOD.pieces))
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    assert len(_types(Reply([body], headers=headers))) == 5


def test_a_stream_without_a_terminal_is_truncated_and_its_events_are_delivered() -> None:
    error, seen = _fails(TruncatedRunError, Reply(frames(started(), *text("hi"))))
    assert seen[-1] == "TEXT_MESSAGE_END"
    assert error.code == "UPSTREAM_TRUNCATED"


@pytest.mark.parametrize("chunked", [True, False])
def test_a_broken_connection_is_truncation(chunked: bool) -> None:
    reply = Reply(frames(started(), *text("hi")), end="reset", chunked=chunked)
    _, seen = _fails(TruncatedRunError, reply)
    assert seen[:1] in ([], ["RUN_STARTED"])


def test_a_connection_that_breaks_after_the_terminal_does_no_harm() -> None:
    reply = Reply(GOOD.pieces, end="reset")
    assert _types(reply)[-1] == "RUN_FINISHED"


def test_half_a_frame_at_the_end_is_truncation() -> None:
    _, seen = _fails(TruncatedRunError, Reply([*frames(started()), b'data: {"type":"TEXT_ME']))
    assert seen == ["RUN_STARTED"]


def test_a_violation_names_rule_event_and_place() -> None:
    orphan = {"type": "TEXT_MESSAGE_END", "messageId": "m9"}
    error, seen = _fails(ViolationError, Reply(frames(started(), orphan, finished())))
    assert (error.rule, error.event_type, error.index) == ("not-open", "TEXT_MESSAGE_END", 1)
    assert seen == ["RUN_STARTED"]


def test_a_malformed_member_is_a_violation() -> None:
    bad = {"type": "TEXT_MESSAGE_START", "messageId": 5}
    error, _ = _fails(ViolationError, Reply(frames(started(), bad)))
    assert error.rule == "malformed"
    assert "/messageId" in str(error)


def test_bytes_that_are_no_json_are_a_violation() -> None:
    error, seen = _fails(ViolationError, Reply([*frames(started()), b"data: {oops}\n\n"]))
    assert (error.rule, error.index) == ("undecodable", 1)
    assert seen == ["RUN_STARTED"]


def test_an_http_error_keeps_status_body_and_retry_after() -> None:
    headers = {"content-type": "application/json", "retry-after": "7"}
    error, _ = _fails(AnswerError, Reply([b'{"detail":"busy"}'], 503, headers))
    assert (error.status, error.body, error.retry_after) == (503, '{"detail":"busy"}', 7.0)
    assert "busy" not in str(error)


def test_a_retry_after_may_be_a_date() -> None:
    headers = {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}
    error, _ = _fails(AnswerError, Reply([], 429, headers))
    assert error.retry_after == 0.0


@pytest.mark.parametrize("value", ["", "soon", "-1", "inf", "Wed, 21 Oct 99999999999 07:28:00 GMT"])
def test_a_retry_after_that_says_nothing_is_none(value: str) -> None:
    headers = {"retry-after": value}
    error, _ = _fails(AnswerError, Reply([], 429, headers))
    assert error.retry_after is None


def test_a_page_is_no_stream() -> None:
    page = Reply([b"<html>login</html>"], headers={"content-type": "text/html; charset=utf-8"})
    error, _ = _fails(NotAStreamError, page)
    assert "text/html" in str(error)


def test_json_is_no_stream() -> None:
    reply = Reply([b'{"ok":true}'], headers={"content-type": "application/json"})
    _fails(NotAStreamError, reply)


def test_nothing_listens() -> None:
    async def scenario() -> None:
        async with Client(f"http://127.0.0.1:{free_port()}/run") as client:
            with pytest.raises(UnreachableError, match="refused"):
                await _collect(client)

    run(scenario())


def test_a_connection_closed_before_the_answer_is_unreachable() -> None:
    _fails(UnreachableError, Reply(end="refuse"))


def test_silence_before_the_head_and_within_the_stream_ends_the_wait() -> None:
    bounds = Bounds(first_event=0.05, idle=0.05)
    _fails(SilenceError, None, bounds=bounds)
    error, seen = _fails(SilenceError, Reply(frames(started()), end="hang"), bounds=bounds)
    assert seen == ["RUN_STARTED"]
    assert error.what == "the next event"


def test_comments_are_life_but_no_event() -> None:
    comments = Reply([b": ping\n\n"] * 3, end="hang")
    error, _ = _fails(SilenceError, comments, bounds=Bounds(first_event=0.05, idle=9))
    assert error.what == "the first event"


def test_the_whole_run_is_bounded_in_time() -> None:
    reply = Reply(frames(started()), end="hang")
    error, _ = _fails(SilenceError, reply, bounds=Bounds(total=0.05))
    assert (error.what, error.seconds) == ("the end of the run", 0.05)


@pytest.mark.parametrize(
    ("bounds", "unit"),
    [(Bounds(events=3), "events"), (Bounds(bytes=200), "bytes"), (Bounds(frame=150), "bytes a")],
)
def test_bounds_end_a_stream(bounds: Bounds, unit: str) -> None:
    endless = [*frames(started()), *frames(*text(*["x" * 20] * 5)), b"data: " + b"y" * 400]
    error, seen = _fails(ExcessError, Reply(endless, end="hang"), bounds=bounds)
    assert error.unit.startswith(unit)
    assert seen


def test_a_redirect_stays_on_its_origin() -> None:
    async def scenario() -> None:
        async with Upstream(GOOD).serving() as other:
            moved = Reply([], 307, {"location": "/elsewhere"})
            away = Reply([], 308, {"location": other.url})
            async with Upstream(moved, GOOD, away).serving() as upstream:
                client = Client(upstream.url, headers={"authorization": "secret"})
                assert len(await _collect(client)) == 5
                assert upstream.requests[1].line.startswith("POST /elsewhere ")
                with pytest.raises(AnswerError, match="308"):
                    await _collect(client)
                await client.close()
            assert other.requests == []

    run(scenario())


def test_leaving_the_iterator_closes_the_connection() -> None:
    async def scenario() -> None:
        async with (
            Upstream(Reply(frames(started()), end="hang")).serving() as upstream,
            Client(upstream.url) as client,
        ):
            events = client.run(INPUT)
            await anext(events)
            assert upstream.open == 1
            await events.aclose()  # type: ignore[attr-defined]
            await upstream.left()

    run(scenario())


def test_the_request_declares_version_and_what_can_be_read() -> None:
    async def scenario() -> None:
        async with (
            Upstream(GOOD).serving() as upstream,
            Client(upstream.url, headers={"X-Key": "k", "Accept": "x/y"}) as client,
        ):
            async for _ in client.run(INPUT, {"x-user": "u"}):
                pass
            await client.close()
        (request,) = upstream.requests
        assert request.json["protocolVersion"] == "1.0"
        assert request.headers["x-key"] == "k"
        assert request.headers["x-user"] == "u"
        assert request.headers["accept"].startswith("text/event-stream, application/vnd.ag-ui")
        assert request.headers["accept-encoding"] == "identity"

    run(scenario())


def test_a_malformed_input_is_refused_before_anything_is_sent() -> None:
    async def scenario() -> None:
        transport = RecordedTransport(b"")
        with pytest.raises(MalformedError, match="/runId"):
            async for _ in Client(transport=transport).run({"threadId": "t", "messages": []}):
                pass
        assert transport.requests == []

    run(scenario())


def test_what_was_stripped_is_told() -> None:
    notices: list[Notice] = []
    _types(Reply(frames(started(zzz=1), finished())), warn=notices.append)
    assert [notice.path for notice in notices] == ["/zzz"]


async def _hello(ctx: RunContext[Any]) -> None:
    ctx.say("hello")


def test_an_agent_of_this_process_is_a_transport() -> None:
    async def scenario() -> list[str]:
        return await _collect(Client(transport=_hello))

    assert run(scenario())[-1] == "RUN_FINISHED"


def test_leaving_a_run_in_process_cancels_its_agent() -> None:
    left = asyncio.Event()

    async def wait(ctx: RunContext[Any]) -> None:
        ctx.say("waiting")
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    async def scenario() -> None:
        events = Client(transport=wait).run(INPUT)
        while (await anext(events)).type != "TEXT_MESSAGE_END":
            pass
        await events.aclose()  # type: ignore[attr-defined]
        assert left.is_set()

    run(scenario())


def test_a_run_in_process_can_be_left_before_its_agent_begins() -> None:
    async def scenario() -> None:
        events = Client(transport=_hello).run(INPUT)
        async with asyncio.timeout(1):
            await anext(events)
            await events.aclose()  # type: ignore[attr-defined]

    run(scenario())


def test_recordings_are_played_in_order(tmp_path: Path) -> None:
    recording = tmp_path / "run.sse"
    recording.write_bytes(b"".join(GOOD.pieces))

    async def scenario() -> None:
        client = Client(transport=recording)
        assert len(await _collect(client)) == 5
        with pytest.raises(UnreachableError, match="no recording"):
            await _collect(client)
        with pytest.raises(UnreachableError, match=r"none\.sse"):
            await _collect(Client(transport=tmp_path / "none.sse"))

    run(scenario())


@pytest.mark.parametrize("url", ["ftp://x/y", "//x", "http://", "http://h:port/"])
def test_what_is_no_url_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Client(url)


def test_one_source_is_needed() -> None:
    with pytest.raises(ValueError, match="one of the two"):
        Client()
    with pytest.raises(ValueError, match=r"0\.0"):
        Client("http://x/", ceiling="zero")


def test_credentials_of_a_url_stay_out_of_notes() -> None:
    async def scenario() -> None:
        async with Client(f"http://u:secret@127.0.0.1:{free_port()}/run?key=secret") as client:
            with pytest.raises(UnreachableError) as caught:
                await _collect(client)
            assert "secret" not in f"{caught.value}{caught.value.__notes__}"

    run(scenario())


@pytest.mark.parametrize(("name", "value"), [("connect", 0), ("idle", -1), ("frame", 0)])
def test_bounds_must_make_sense(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Bounds(**{name: value})
