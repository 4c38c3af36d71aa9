"""One connection that reads one run, with a run that does what it is told."""

import asyncio
from collections.abc import Callable

import pytest

from gateway.errors import RefusedError
from gateway.server.asgi import Receive, Scope, Send
from gateway.server.response import KEEP_ALIVE, stream_head
from gateway.server.viewer import PIECE, Viewer
from tests.server.asgi import Connection, http_scope, run, turn, until

BEAT = KEEP_ALIVE["sse"]


class Told:
    """A run whose chunks come from a queue; it ends when it is cancelled or told to."""

    refusal: RefusedError | None = None

    def __init__(self, *chunks: bytes) -> None:
        self.chunks: asyncio.Queue[bytes] = asyncio.Queue()
        for chunk in chunks:
            self.chunks.put_nowait(chunk)
        self.reasons: list[str] = []
        self.reads = 0

    async def read(self) -> bytes:
        self.reads += 1
        return await self.chunks.get()

    def cancel(self, reason: str) -> None:
        self.reasons.append(reason)
        self.chunks.put_nowait(b"farewell")
        self.chunks.put_nowait(b"")


def view(told: Told, keep_alive: float = 0, comment: bytes = BEAT) -> Connection:
    """A connection whose application is a viewer of the run."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        head = stream_head("sse")
        viewer = Viewer(told, receive, send, head=head, comment=comment, keep_alive=keep_alive)
        await viewer.view()

    return Connection(application, http_scope("POST", "/"), [])


def test_chunks_are_sent_as_they_are_and_the_body_is_closed() -> None:
    async def scenario() -> None:
        told = Told(b"a", b"b", b"")
        answer = await view(told).answer()
        assert (answer.status, answer.body, told.reasons) == (200, b"ab", [])
        assert answer.headers == {
            "content-type": "text/event-stream",
            "cache-control": "no-cache, no-transform",
            "x-accel-buffering": "no",
            "vary": "Accept",
        }

    run(scenario())


def test_nothing_is_sent_before_the_first_chunk() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told)
        await turn()
        assert (told.reads, connection.sent) == (1, [])
        told.chunks.put_nowait(b"")
        assert (await connection.answer()).body == b""

    run(scenario())


def test_a_client_that_leaves_a_silent_run_cancels_it() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told)
        connection.leave()
        await connection.task
        assert told.reasons[0] == "client-left"
        assert connection.sent == []

    run(scenario())


def test_nothing_is_sent_after_the_client_left() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = view(told)
        await connection.until(b"a")
        connection.leave()
        await connection.task
        assert (told.reasons[0], connection.body) == ("client-left", b"a")
        assert connection.sent[-1]["more_body"]

    run(scenario())


def test_a_slow_client_stops_the_reading() -> None:
    async def scenario() -> None:
        told = Told(b"a", b"b", b"")
        connection = view(told)
        connection.accepting.clear()
        await until(lambda: told.reads > 0)
        assert (told.reads, connection.sent) == (1, [])
        connection.accepting.set()
        assert (await connection.answer()).body == b"ab"

    run(scenario())


@pytest.mark.parametrize("error", [ConnectionResetError(), BrokenPipeError()])
def test_a_send_that_finds_the_client_gone_cancels_the_run(error: OSError) -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = view(told)
        connection.broken = error
        await connection.task
        assert set(told.reasons) == {"client-left"}

    run(scenario())


def test_a_send_that_fails_otherwise_cancels_the_run_and_is_reported() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = view(told)
        connection.broken = RuntimeError("no such message")
        with pytest.raises(RuntimeError, match="no such message"):
            await connection.task
        assert set(told.reasons) == {"client-left"}

    run(scenario())


def test_a_server_that_cancels_the_response_cancels_the_run() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = view(told, keep_alive=1000)
        await connection.until(b"a")
        connection.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connection.task
        assert set(told.reasons) == {"client-left"}

    run(scenario())


def test_a_client_that_leaves_after_the_end_of_the_run_cancels_nothing() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = view(told)
        await connection.until(b"a")
        connection.accepting.clear()
        told.chunks.put_nowait(b"")
        await until(told.chunks.empty)
        await turn()
        connection.leave()
        await turn()
        connection.accepting.set()
        assert (await connection.answer()).body == b"a"
        assert told.reasons == []

    run(scenario())


def test_silence_is_filled_with_comments() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told, keep_alive=0.01)
        await connection.until(BEAT * 3)
        told.chunks.put_nowait(b"data: {}\n\n")
        await connection.until(b"data: {}\n\n" + BEAT)
        told.chunks.put_nowait(b"")
        answer = await connection.answer()
        assert answer.status == 200
        assert answer.body.replace(BEAT, b"") == b"data: {}\n\n"

    run(scenario())


def test_without_a_comment_only_the_head_ends_the_silence() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told, keep_alive=0.01, comment=b"")
        await connection.begun()
        told.chunks.put_nowait(b"")
        assert (await connection.answer()).body == b""

    run(scenario())


@pytest.mark.parametrize("end", [Connection.leave, lambda connection: connection.task.cancel()])
def test_a_comment_that_waits_for_a_slow_client_is_not_left_behind(
    end: Callable[[Connection], object],
) -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told, keep_alive=0.01)
        await connection.until(BEAT)
        connection.accepting.clear()
        await until(lambda: len(asyncio.all_tasks()) == 4)  # until the next comment hangs in `send`
        end(connection)
        await asyncio.wait({connection.task})
        assert told.reasons[0] == "client-left"

    run(scenario())


def test_a_comment_that_finds_the_client_gone_cancels_the_run() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told, keep_alive=0.01)
        connection.broken = ConnectionResetError()
        await connection.task
        assert told.reasons[0] == "client-left"

    run(scenario())


def test_a_chunk_waits_for_the_comment_before_it() -> None:
    async def scenario() -> None:
        told = Told()
        connection = view(told, keep_alive=0.01)
        connection.accepting.clear()
        await until(
            lambda: len(asyncio.all_tasks()) == 4
        )  # until the first comment hangs in `send`
        told.chunks.put_nowait(b"a")
        told.chunks.put_nowait(b"")
        await turn()
        connection.accepting.set()
        answer = await connection.answer()
        assert answer.body == BEAT + b"a"

    run(scenario())


def stalling(told: Told, stall_timeout: float, *, cancels: bool = True) -> Connection:
    """A connection whose application gives up on a client that takes nothing."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        viewer = Viewer(
            told,
            receive,
            send,
            head=stream_head("sse"),
            comment=BEAT,
            keep_alive=0,
            stall_timeout=stall_timeout,
            cancels=cancels,
        )
        await viewer.view()

    return Connection(application, http_scope("POST", "/"), [])


def test_a_client_that_takes_nothing_for_too_long_counts_as_gone() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = stalling(told, 0.04)
        connection.accepting.clear()
        await connection.task
        assert (told.reasons, connection.sent) == (["client-left"], [])

    run(scenario())


def test_a_client_that_takes_a_piece_now_and_then_is_slow_and_not_gone() -> None:
    async def scenario() -> None:
        told = Told(b"x" * 4 * PIECE, b"")
        connection = stalling(told, 0.2)
        for _ in range(6):
            connection.accepting.clear()
            connection.step.set()
            await asyncio.sleep(0.06)  # together longer than the client may stand still
        connection.accepting.set()
        connection.step.set()
        answer = await connection.answer()
        assert (len(answer.body), told.reasons) == (4 * PIECE, [])

    run(scenario())


def test_a_silent_run_is_no_stalled_client() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = stalling(told, 0.01)
        await connection.until(b"a")
        await asyncio.sleep(0.05)  # several times what a client may take
        told.chunks.put_nowait(b"")
        assert (await connection.answer()).body == b"a"

    run(scenario())


def test_a_large_chunk_is_sent_in_pieces() -> None:
    async def scenario() -> None:
        body = bytes(range(256)) * 1000
        told = Told(body, b"")
        connection = view(told)
        assert (await connection.answer()).body == body
        assert max(len(message.get("body", b"")) for message in connection.sent) <= PIECE

    run(scenario())


def test_a_run_may_go_on_after_its_client_left() -> None:
    async def scenario() -> None:
        told = Told(b"a")
        connection = stalling(told, 0, cancels=False)
        await connection.until(b"a")
        connection.leave()
        await connection.task
        assert told.reasons == []

    run(scenario())
