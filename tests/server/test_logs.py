"""What the log says of runs, and what it never says."""

import asyncio
import json
import logging
import logging.config
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from gateway.agent import RunContext
from gateway.errors import AgentError
from gateway.server import Gateway, Settings
from gateway.server.logs import ConsoleLines, JsonLines, RunIds, logging_config
from gateway.server.operations import LogFormat, Logs
from tests.server.asgi import JSON, post, run, send

KEY = "planted-Key.0123456789"
HEADERS = {
    **JSON,
    "authorization": f"Bearer {KEY}",
    "x-api-key": KEY,
    "cookie": f"session={KEY}",
    "x-request-id": "req-7",
}
BODY: dict[str, Any] = {
    "threadId": "t1",
    "protocolVersion": "1.0",
    "runId": "r1",
    "messages": [{"id": "m1", "role": "user", "content": f"my key is {KEY}"}],
    "state": {"key": KEY},
    "forwardedProps": {"apiKey": KEY},
}


class Captured:
    """What a handler of the gateway's own making writes."""

    def __init__(self, format: LogFormat) -> None:
        self.stream = StringIO()
        self.handler = logging.StreamHandler(self.stream)
        self.handler.addFilter(RunIds())
        self.handler.setFormatter(JsonLines() if format == "json" else ConsoleLines())

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture(params=["json", "console"])
def captured(request: pytest.FixtureRequest) -> Iterator[Captured]:
    yield from _capture(request.param)


@pytest.fixture
def lines() -> Iterator[Captured]:
    yield from _capture("json")


def _capture(format: LogFormat) -> Iterator[Captured]:
    found = Captured(format)
    root = logging.getLogger()
    level = root.level
    root.addHandler(found.handler)
    root.setLevel(logging.DEBUG)
    yield found
    root.removeHandler(found.handler)
    root.setLevel(level)


async def chatty(ctx: RunContext[Any]) -> None:
    logging.getLogger("elsewhere").info("deep inside")
    await asyncio.create_task(_deeper())


async def _deeper() -> None:
    logging.getLogger("elsewhere").info("deeper")


async def waiting(ctx: RunContext[Any]) -> None:
    ctx.say("waiting")
    await asyncio.Event().wait()


def of(entries: list[dict[str, Any]], logger: str) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["logger"] == logger]


def test_one_line_tells_of_the_end_of_a_run(lines: Captured) -> None:
    answer = send(Gateway({"chatty": chatty}), "/agents/chatty", BODY, HEADERS)
    (entry,) = of(lines.entries, "gateway.runs")
    assert entry["level"] == "INFO"
    assert (entry["run"], entry["thread"], entry["request"]) == ("r1", "t1", "req-7")
    assert (entry["agent"], entry["result"]) == ("chatty", "success")
    assert (entry["events"], entry["bytes"]) == (len(answer.types), len(answer.body))
    assert 0 <= entry["seconds"] < 20


def test_what_is_logged_inside_of_a_run_names_it(lines: Captured) -> None:
    send(Gateway({"chatty": chatty}), "/agents/chatty", BODY, HEADERS)
    found = of(lines.entries, "elsewhere")
    assert [entry["message"] for entry in found] == ["deep inside", "deeper"]
    assert {(entry["run"], entry["request"]) for entry in found} == {("r1", "req-7")}


def test_a_request_without_an_id_gets_one_and_a_forged_one_does_not_count(lines: Captured) -> None:
    gateway = Gateway({"chatty": chatty})
    send(gateway, "/agents/chatty", BODY, JSON)
    send(gateway, "/agents/chatty", BODY, {**JSON, "x-request-id": "a b\tc"})
    ids = {entry["request"] for entry in of(lines.entries, "gateway.runs")}
    assert len(ids) == 2
    assert all(len(id) == 32 for id in ids)


def test_a_client_that_leaves_is_a_line_and_no_traceback(lines: Captured) -> None:
    gateway = Gateway({"waiting": waiting})

    async def scenario() -> None:
        connection = post(gateway, "/agents/waiting", BODY, HEADERS)
        await connection.until(b"waiting")
        connection.leave()
        await connection.task
        await gateway.runs.closed()

    run(scenario())
    left = [entry for entry in lines.entries if entry["message"] == "the client left"]
    assert [(entry["level"], entry["run"]) for entry in left] == [("INFO", "r1")]
    (ended,) = of(lines.entries, "gateway.runs")
    assert (ended["result"], ended["reason"]) == ("cancelled", "client-left")
    assert "Traceback" not in lines.text
    assert {entry["level"] for entry in lines.entries} <= {"INFO", "DEBUG"}


async def raising(ctx: RunContext[Any]) -> None:
    raise RuntimeError(f"refused: {ctx.request.headers}")


async def quoting(ctx: RunContext[Any]) -> None:
    raise AgentError(f"cannot use {ctx.request.headers['x-api-key']}", "BAD_KEY")


async def telling(ctx: RunContext[Any]) -> None:
    logging.getLogger("elsewhere").warning("calling with %s", ctx.request.headers["cookie"])


async def breaking(ctx: RunContext[Any]) -> None:
    ctx.message(id=KEY)
    ctx.message(id=KEY)


AGENTS = {"raising": raising, "quoting": quoting, "telling": telling, "chatty": chatty}


@pytest.mark.parametrize("agent", AGENTS)
def test_no_secret_of_a_request_is_logged(captured: Captured, agent: str) -> None:
    send(Gateway(AGENTS), f"/agents/{agent}", BODY, HEADERS)
    assert captured.text
    assert KEY not in captured.text


@pytest.mark.parametrize(
    "body",
    [
        b'{"threadId": "t1", "runId": "r1", "messages": "%s"}' % KEY.encode(),
        b'{"threadId": "t1", "%s": ' % KEY.encode(),
        {**BODY, "unknown": KEY},
        {**BODY, "resume": [{"interruptId": "x", "status": "resolved", "payload": KEY}]},
        {**BODY, "messages": [{"id": "m", "role": KEY, "content": "x"}]},
    ],
)
def test_no_secret_of_a_bad_input_is_logged(captured: Captured, body: Any) -> None:
    send(Gateway(AGENTS), "/agents/chatty", body, HEADERS)
    assert KEY not in captured.text


def test_no_client_can_forge_a_line(captured: Captured) -> None:
    body = {**BODY, "runId": "r1\n2020-01-01 CRITICAL forged", "threadId": "x" * 10_000}
    send(Gateway(AGENTS), "/agents/chatty", body, JSON)
    assert not any(line.startswith("2020") for line in captured.text.splitlines())
    assert max(map(len, captured.text.splitlines())) < 2000


@pytest.mark.parametrize("format", ["json", "console"])
def test_the_configuration_is_one_of_the_standard_library(format: LogFormat) -> None:
    config = logging_config(Logs(format=format, level="WARNING"))
    logging.config.DictConfigurator(config)
    assert json.loads(json.dumps(config)) == config
    assert config["root"]["level"] == "WARNING"
    assert Settings().logs.format == "console"
