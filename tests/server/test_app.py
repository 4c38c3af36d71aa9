"""All agents behind one application."""

import asyncio
from typing import Any

import pytest

from gateway.agent import RunContext
from gateway.protocol.capabilities import AgentCapabilities, StateCapabilities
from gateway.server import Gateway
from gateway.server.asgi import Message
from tests.server.asgi import fetch, post, run, send, turn
from tests.server.test_endpoint import Waiting, hello
from tests.server.test_lifespans import Pooled


class Described:
    """Its docstring."""

    description = "What it does"
    capabilities = AgentCapabilities(state=StateCapabilities(deltas=True))

    async def run(self, ctx: RunContext[Any]) -> None:
        """Do nothing."""


def test_agents_are_reached_by_name() -> None:
    gateway = Gateway({"hello": hello, "other": Described()})
    assert b"hello" in send(gateway, "/agents/hello").body
    assert b"hello" not in send(gateway, "/agents/other").body


def test_agents_are_listed_with_what_they_declare() -> None:
    listed = fetch(Gateway({"hello": hello, "other": Described()}), "/agents").json
    assert listed == {
        "agents": [
            {"name": "hello", "description": "Says hello."},
            {
                "name": "other",
                "description": "What it does",
                "capabilities": {"state": {"deltas": True}},
            },
        ]
    }


@pytest.mark.parametrize(
    "path", ["/", "/agents/none", "/agents/hello/x", "/agents//hello", "/x/hello", ""]
)
def test_an_unknown_path_is_not_found(path: str) -> None:
    for answer in (fetch(Gateway({"hello": hello}), path), send(Gateway({"hello": hello}), path)):
        assert (answer.status, answer.json["code"]) == (404, "NOT_FOUND")


def test_a_slash_at_the_end_changes_nothing() -> None:
    gateway = Gateway({"hello": hello})
    assert fetch(gateway, "/agents/").status == send(gateway, "/agents/hello/").status == 200


def test_a_known_path_refuses_other_methods_and_says_which_it_knows() -> None:
    gateway = Gateway({"hello": hello})
    for path, allowed in {
        "/agents/hello": "POST",
        "/agents": "GET, HEAD",
        "/healthz": "GET, HEAD",
    }.items():
        answer = fetch(gateway, path, "DELETE")
        assert (answer.status, answer.headers["allow"]) == (405, allowed)
        assert answer.json["code"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize(("root", "prefix"), [("/ui", "/ui"), ("/ui", ""), ("/a/b", "/a/b")])
def test_it_can_be_mounted_below_any_path(root: str, prefix: str) -> None:
    gateway = Gateway({"hello": hello})
    assert fetch(gateway, prefix + "/agents", root_path=root).status == 200
    assert send(gateway, prefix + "/agents/hello", root_path=root).status == 200


def test_health_has_no_body_for_head() -> None:
    gateway = Gateway({})
    assert fetch(gateway, "/healthz").json == {"status": "ok"}
    head = fetch(gateway, "/healthz", "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "15")


def test_a_name_that_cannot_stand_in_a_path_is_refused() -> None:
    with pytest.raises(ValueError, match="a/b"):
        Gateway({"a/b": hello})


def test_stopping_ends_open_runs_with_an_error_and_refuses_new_ones() -> None:
    async def scenario() -> None:
        gateway = Gateway({"waiting": Waiting()})
        open = [post(gateway, "/agents/waiting") for _ in range(3)]
        for connection in open:
            await connection.until(b"waiting")
        gateway.stop()
        for connection in open:
            assert (await connection.answer()).types[-1] == "RUN_ERROR"
        answer = await post(gateway, "/agents/waiting").answer()
        assert (answer.status, answer.json["code"]) == (503, "SHUTTING_DOWN")

    run(scenario())


def test_readiness_says_when_the_process_goes_down_but_it_lives() -> None:
    gateway = Gateway({})
    assert fetch(gateway, "/readyz").status == 200
    gateway.stop()
    assert (fetch(gateway, "/readyz").status, fetch(gateway, "/healthz").status) == (503, 200)


def test_draining_lets_runs_end_and_ends_the_rest_after_the_grace() -> None:
    async def scenario() -> None:
        gateway = Gateway({"waiting": Waiting()})
        connection = post(gateway, "/agents/waiting")
        await connection.until(b"waiting")
        draining = asyncio.ensure_future(gateway.drain(0.05))
        await turn()
        refused = await post(gateway, "/agents/waiting").answer()
        assert (refused.status, refused.json["code"]) == (503, "SHUTTING_DOWN")
        assert not connection.task.done()
        await draining
        assert (await connection.answer()).types[-1] == "RUN_ERROR"

    run(scenario())


def test_draining_takes_no_longer_than_the_runs() -> None:
    async def scenario() -> None:
        gateway = Gateway({"waiting": Waiting()})
        connection = post(gateway, "/agents/waiting")
        await connection.until(b"waiting")
        draining = asyncio.ensure_future(gateway.drain(3600))
        await turn()
        connection.leave()
        await draining
        await connection.task

    run(scenario())


def test_a_host_may_make_the_lifespan_its_own() -> None:
    async def scenario() -> None:
        pooled = Pooled()
        gateway = Gateway({"pooled": pooled})
        async with gateway.lifespan(object()):
            assert pooled.log == ["enter"]
        assert pooled.log == ["enter", "leave"]
        assert (await post(gateway, "/agents/pooled").answer()).status == 503

    run(scenario())


def test_the_lifespan_of_the_process_encloses_runs_and_agents() -> None:
    async def scenario() -> None:
        pooled, waiting = Pooled(), Waiting()
        gateway = Gateway({"pooled": pooled, "waiting": waiting})
        inbox: asyncio.Queue[Message] = asyncio.Queue()
        outbox: asyncio.Queue[Message] = asyncio.Queue()
        serving = asyncio.ensure_future(gateway({"type": "lifespan"}, inbox.get, outbox.put))
        inbox.put_nowait({"type": "lifespan.startup"})
        assert (await outbox.get())["type"] == "lifespan.startup.complete"
        assert pooled.log == ["enter"]
        connection = post(gateway, "/agents/waiting")
        await connection.until(b"waiting")
        inbox.put_nowait({"type": "lifespan.shutdown"})
        assert (await outbox.get())["type"] == "lifespan.shutdown.complete"
        assert pooled.log == ["enter", "leave"]
        assert waiting.interrupted.is_set()
        await serving
        assert (await connection.answer()).types[-1] == "RUN_ERROR"

    run(scenario())


def test_a_process_may_open_it_again_after_it_was_closed() -> None:
    async def scenario() -> None:
        pooled = Pooled()
        gateway = Gateway({"pooled": pooled})
        for _ in range(2):
            await gateway.open()
            assert (await post(gateway, "/agents/pooled").answer()).status == 200
            await gateway.close()
        assert pooled.log == ["enter", "leave"] * 2

    run(scenario())


def test_an_agent_that_cannot_be_entered_fails_the_start() -> None:
    async def scenario() -> None:
        gateway = Gateway({"pooled": Pooled(failures=1)})
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "lifespan.startup"}

        async def send(message: Message) -> None:
            sent.append(message)

        await gateway({"type": "lifespan"}, receive, send)
        assert [message["type"] for message in sent] == ["lifespan.startup.failed"]

    run(scenario())


def test_a_websocket_is_refused() -> None:
    async def scenario() -> None:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await Gateway({})({"type": "websocket"}, receive, send)
        assert [message["type"] for message in sent] == ["websocket.close"]

    run(scenario())
