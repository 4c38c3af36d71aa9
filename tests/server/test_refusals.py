"""An agent that stands for another server, whose failure may become the status of the answer."""

import asyncio
from typing import Any

from gateway.agent import RunContext
from gateway.errors import RefusedError
from gateway.server import Endpoint, Settings
from tests.server.asgi import post, run, send, until

BAD_GATEWAY = RefusedError(502, "UPSTREAM_ERROR", "The server behind the agent failed.")


class Remote:
    """Refuses when it is told to, perhaps after it has said something."""

    may_refuse = True

    def __init__(self, error: Exception | None = BAD_GATEWAY, says: str = "") -> None:
        self.error = error
        self.says = says
        self.answered = asyncio.Event()

    async def run(self, ctx: RunContext[Any]) -> None:
        if self.says:
            ctx.say(self.says)
        await self.answered.wait()
        if self.error is not None:
            raise self.error


def at_once(remote: Remote) -> Remote:
    remote.answered.set()
    return remote


def test_a_failure_before_the_first_event_becomes_the_status() -> None:
    limited = RefusedError(429, "RATE_LIMITED", "Later.", headers=((b"retry-after", b"3"),))
    answer = send(Endpoint(at_once(Remote(limited))))
    assert (answer.status, answer.headers["retry-after"]) == (429, "3")
    assert answer.json == {"code": "RATE_LIMITED", "message": "Later."}


def test_a_late_failure_does_too() -> None:
    async def scenario() -> None:
        remote = Remote()
        connection = post(Endpoint(remote))
        for _ in range(10):
            await asyncio.sleep(0)
        assert connection.sent == []
        remote.answered.set()
        assert (await connection.answer()).status == 502

    run(scenario())


def test_after_one_keep_alive_the_answer_has_begun() -> None:
    async def scenario() -> None:
        remote = Remote()
        connection = post(Endpoint(remote, Settings(keep_alive=0.01)))
        await connection.until(b"RUN_STARTED")
        await connection.until(b":\n\n")
        remote.answered.set()
        answer = await connection.answer()
        assert (answer.status, answer.types) == (200, ["RUN_STARTED", "RUN_ERROR"])
        assert b'"code":"UPSTREAM_ERROR"' in answer.body

    run(scenario())


def test_the_first_event_begins_the_answer() -> None:
    async def scenario() -> None:
        remote = Remote(says="hello")
        connection = post(Endpoint(remote))
        await connection.until(b"hello")
        remote.answered.set()
        answer = await connection.answer()
        assert (answer.status, answer.types[0], answer.types[-1]) == (
            200,
            "RUN_STARTED",
            "RUN_ERROR",
        )

    run(scenario())


def test_a_run_that_says_nothing_is_a_stream_all_the_same() -> None:
    answer = send(Endpoint(at_once(Remote(None))))
    assert answer.types == ["RUN_STARTED", "RUN_FINISHED"]


def test_any_other_error_stays_in_the_stream() -> None:
    answer = send(Endpoint(at_once(Remote(RuntimeError("secret")))))
    assert answer.types == ["RUN_STARTED", "RUN_ERROR"]
    assert b"secret" not in answer.body


def test_a_client_that_leaves_meanwhile_gets_nothing() -> None:
    async def scenario() -> None:
        application = Endpoint(Remote())
        connection = post(application)
        await until(lambda: len(application.runs) == 1)
        connection.leave()
        await connection.task
        assert connection.sent == []
        await until(lambda: application.admission.total == 0)

    run(scenario())
