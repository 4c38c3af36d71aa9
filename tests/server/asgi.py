"""An ASGI server for tests: one connection whose client one can make slow, rude or absent."""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import orjson

from gateway.server.asgi import Message, Receive, Scope, Send

T = TypeVar("T")
Application = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

DEADLINE = 20.0
RUN: dict[str, Any] = {"threadId": "t1", "runId": "r1", "messages": []}
JSON = {"content-type": "application/json"}


class Answer(NamedTuple):
    """What a client got."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def types(self) -> list[str]:
        """The types of the events of an SSE stream."""
        blocks = self.body.decode().split("\n\n")
        return [orjson.loads(b[6:])["type"] for b in blocks if b.startswith("data: ")]


def http_scope(
    method: str, path: str, headers: Iterable[tuple[str, str]] = (), root_path: str = ""
) -> Scope:
    """The scope of an HTTP request."""
    return {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": root_path,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }


class Connection:
    """One request in a task of its own.

    `chunks` are the parts of the body; `complete=False` leaves the body open. `accepting` cleared
    makes `send` wait, but for one message each time that `step` is set; `broken` makes it raise.
    """

    def __init__(
        self, application: Application, scope: Scope, chunks: Iterable[bytes], complete: bool = True
    ) -> None:
        self.sent: list[Message] = []
        self.accepting = asyncio.Event()
        self.accepting.set()
        self.step = asyncio.Event()
        self.broken: Exception | None = None
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._news = asyncio.Event()
        parts = list(chunks)
        for index, part in enumerate(parts):
            more = not complete or index + 1 < len(parts)
            self._inbox.put_nowait({"type": "http.request", "body": part, "more_body": more})
        self.task = asyncio.get_running_loop().create_task(
            application(scope, self._inbox.get, self._send)
        )

    async def _send(self, message: Message) -> None:
        if self.broken is not None:
            raise self.broken
        if not self.accepting.is_set():
            await self._permitted()
        self.sent.append(message)
        self._news.set()

    async def _permitted(self) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self.accepting, self.step)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self.step.clear()

    def leave(self) -> None:
        """Close the connection from the client's side."""
        self._inbox.put_nowait({"type": "http.disconnect"})

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    async def until(self, text: bytes) -> None:
        """Wait until the body holds a text."""
        while text not in self.body:
            self._news.clear()
            await self._news.wait()

    async def begun(self) -> None:
        """Wait until the head was sent."""
        while not self.sent:
            self._news.clear()
            await self._news.wait()

    async def answer(self) -> Answer:
        """Wait until the application has returned, and give what it sent."""
        await self.task
        head, *rest = self.sent
        assert head["type"] == "http.response.start"
        assert [message["more_body"] for message in rest] == [True] * (len(rest) - 1) + [False]
        headers = {name.decode(): value.decode() for name, value in head["headers"]}
        return Answer(head["status"], headers, self.body)


def post(
    application: Application,
    path: str = "/",
    body: bytes | Mapping[str, Any] = RUN,
    headers: Mapping[str, str] = JSON,
    root_path: str = "",
) -> Connection:
    """A POST, of JSON unless `headers` say otherwise."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return Connection(application, http_scope("POST", path, headers.items(), root_path), [content])


def fetch(application: Application, path: str, method: str = "GET", root_path: str = "") -> Answer:
    """The answer to a request without a body."""

    async def ask() -> Answer:
        scope = http_scope(method, path, root_path=root_path)
        return await Connection(application, scope, [b""]).answer()

    return run(ask())


def send(
    application: Application,
    path: str = "/",
    body: bytes | Mapping[str, Any] = RUN,
    headers: Mapping[str, str] = JSON,
    root_path: str = "",
) -> Answer:
    """The answer to a POST."""

    async def ask() -> Answer:
        return await post(application, path, body, headers, root_path).answer()

    return run(ask())


async def turn() -> None:
    """Let everything that is ready go on."""
    await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let everything else go on until a condition holds."""
    while not condition():
        await turn()


def run(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a scenario; it must leave no task behind and no exception that nobody looked at."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> T:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        async with asyncio.timeout(DEADLINE):
            result = await scenario
            await until(lambda: len(asyncio.all_tasks()) == 1)
        gc.collect()
        return result

    result = asyncio.run(watched())
    assert not complaints
    return result
