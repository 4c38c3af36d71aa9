"""One agent behind HTTP."""

import asyncio
from typing import Any

import pytest

from gateway.agent import RunContext
from gateway.server import Settings, endpoint
from gateway.server.asgi import Receive, Scope, Send
from tests.server.asgi import JSON, RUN, Connection, http_scope, post, run, send, turn, until

PROTOBUF = "application/vnd.ag-ui.event+proto"


async def hello(ctx: RunContext[Any]) -> None:
    """Says hello."""
    ctx.say("hello")


class Waiting:
    """An agent that says one thing and waits until it is interrupted."""

    def __init__(self) -> None:
        self.interrupted = asyncio.Event()

    async def run(self, ctx: RunContext[Any]) -> None:
        """Wait for ever."""
        ctx.say("waiting")
        try:
            await asyncio.Event().wait()
        finally:
            self.interrupted.set()


def test_a_run_is_streamed() -> None:
    answer = send(endpoint(hello))
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream"
    assert (answer.types[0], answer.types[-1]) == ("RUN_STARTED", "RUN_FINISHED")
    assert b"hello" in answer.body


def test_protobuf_is_streamed_to_whoever_names_it() -> None:
    answer = send(endpoint(hello), headers={**JSON, "accept": PROTOBUF})
    assert answer.headers["content-type"] == PROTOBUF
    assert b"hello" in answer.body
    assert not answer.body.startswith(b"data:")


def test_any_path_is_served() -> None:
    assert send(endpoint(hello), "/wherever/it/is").status == 200


def test_the_agent_sees_the_header_fields() -> None:
    seen: list[str] = []

    async def agent(ctx: RunContext[Any]) -> None:
        seen.append(ctx.request.headers["x-tenant"])

    assert send(endpoint(agent), headers={**JSON, "X-Tenant": "t7"}).status == 200
    assert seen == ["t7"]


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({"accept": "application/xml", "content-type": "text/plain"}, b"", 406, "NOT_ACCEPTABLE"),
        ({"content-type": "text/plain"}, b"x" * 99, 415, "UNSUPPORTED_MEDIA_TYPE"),
        (JSON, b"x" * 99, 413, "BODY_TOO_LARGE"),
        ({**JSON, "content-length": "99"}, b"", 413, "BODY_TOO_LARGE"),
        (JSON, b"", 400, "INVALID_INPUT"),
        (JSON, b"{", 400, "INVALID_INPUT"),
        ({}, b'{"runId": "r", "messages": []}', 400, "INVALID_INPUT"),
    ],
)
def test_a_bad_request_is_refused_before_the_stream(
    headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    answer = send(endpoint(hello, Settings(max_body=64)), body=body, headers=headers)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["message"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_only_post_starts_a_run(method: str) -> None:
    async def scenario() -> None:
        answer = await Connection(endpoint(hello), http_scope(method, "/"), [b""]).answer()
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
        assert bool(answer.body) == (method != "HEAD")

    run(scenario())


def test_a_client_that_leaves_while_sending_starts_no_run() -> None:
    started: list[bool] = []

    async def agent(ctx: RunContext[Any]) -> None:
        started.append(True)

    async def scenario() -> None:
        scope = http_scope("POST", "/", JSON.items())
        connection = Connection(endpoint(agent), scope, [b'{"thr'], complete=False)
        connection.leave()
        await connection.task
        answer = await connection.answer()
        assert (answer.status, answer.json["code"], started) == (400, "CLIENT_LEFT", [])

    run(scenario())


def test_a_client_that_leaves_interrupts_the_agent() -> None:
    async def scenario() -> None:
        agent = Waiting()
        application = endpoint(agent)
        connection = post(application)
        await connection.until(b"waiting")
        assert len(application.runs) == 1
        connection.leave()
        await connection.task
        await agent.interrupted.wait()
        await until(lambda: not application.runs)
        assert b"RUN_FINISHED" not in connection.body

    run(scenario())


def test_a_response_that_is_cancelled_by_the_server_leaves_no_run_behind() -> None:
    async def scenario() -> None:
        agent = Waiting()
        application = endpoint(agent)
        connection = post(application)
        await connection.until(b"waiting")
        connection.task.cancel()
        await asyncio.wait({connection.task})
        await agent.interrupted.wait()
        await until(lambda: not application.runs)

    run(scenario())


def test_concurrent_runs_see_only_their_own() -> None:
    async def agent(ctx: RunContext[Any]) -> None:
        for _ in range(20):
            ctx.say(f"<{ctx.input.thread_id}>")
            await turn()

    async def scenario() -> None:
        application = endpoint(agent)
        names = [f"t{n}" for n in range(50)]
        open = [post(application, body={**RUN, "threadId": name}) for name in names]
        for name, connection in zip(names, open, strict=True):
            answer = await connection.answer()
            assert answer.body.count(b"<t") == answer.body.count(f"<{name}>".encode()) == 20
            assert answer.types[-1] == "RUN_FINISHED"

    run(scenario())


def test_an_agent_that_raises_ends_its_stream_with_an_error() -> None:
    async def agent(ctx: RunContext[Any]) -> None:
        raise ZeroDivisionError("secret")

    answer = send(endpoint(agent))
    assert (answer.status, answer.types[-1]) == (200, "RUN_ERROR")
    assert b"secret" not in answer.body


def test_a_failure_before_the_stream_is_an_error_without_details() -> None:
    class Broken:
        async def run(self, ctx: RunContext[Any]) -> None:
            """Never called."""

        def lifespan(self) -> Any:
            raise ConnectionError("secret")

    answer = send(endpoint(Broken()))
    assert (answer.status, answer.json["code"]) == (500, "INTERNAL_ERROR")
    assert b"secret" not in answer.body


def test_a_host_that_is_handed_the_connection_needs_no_lifespan() -> None:
    application = endpoint(hello)

    async def host(scope: Scope, receive: Receive, send: Send) -> None:
        await application({**scope, "root_path": "/mounted"}, receive, send)

    assert send(host, "/mounted/").status == 200
