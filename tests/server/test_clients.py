"""Clients that are rude, slow, gone or too many, against a server process."""

from __future__ import annotations

import http.client
import os
import re
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import h2.config
import h2.connection
import h2.events
import orjson
import pytest

import gateway_native
from tests.served import Served
from tests.server.test_serve import INPUT, JSON, ask, open_stream, read_until

DEADLINE = 20.0
PROMPT = 1.0
"""Seconds within which an agent must hear that its client has left."""
MIB = 1024 * 1024
IDLE = 2000
RESET = b"\1\0\0\0\0\0\0\0"
"""SO_LINGER of zero seconds: closing sends RST."""


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with Served("tests.server.edges:GATEWAY") as running:
        yield running


def noted(server: Served) -> dict[str, int]:
    """What the agent `record` says."""
    status, body = ask(server, "POST", "/agents/record")
    assert status == 200
    return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", body.decode())}


def wait_for(condition: Callable[[], bool], seconds: float = DEADLINE) -> float:
    """Seconds until a condition holds."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.01)  # between two polls
    return time.monotonic() - began


def by_fin(client: socket.socket) -> None:
    client.close()


def by_rst(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    client.close()


def by_half_close(client: socket.socket) -> None:
    client.shutdown(socket.SHUT_WR)


def last_bytes(client: socket.socket) -> bytes:
    """The end of a stream, which has come to its end in order."""
    received = b""
    while not received.endswith(b"\r\n0\r\n\r\n"):
        chunk = client.recv(65536)
        assert chunk, received
        received = (received + chunk)[-1000:]
    return received


@pytest.mark.parametrize("leave", [by_fin, by_rst, by_half_close])
def test_an_agent_hears_within_a_second_that_its_client_left(
    server: Served, leave: Callable[[socket.socket], None]
) -> None:
    before = noted(server)["interrupted"]
    with open_stream(server, "waiting") as client:
        read_until(client, b"waiting")
        leave(client)
        took = wait_for(lambda: noted(server)["interrupted"] == before + 1)
    assert took < PROMPT


class Http2:
    """A client of HTTP/2 without TLS, as a proxy with prior knowledge is."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.state.initiate_connection()
        self.bodies: dict[int, bytes] = {}

    def close(self) -> None:
        self.socket.close()

    def flush(self) -> None:
        self.socket.sendall(self.state.data_to_send())

    def post(self, path: str) -> int:
        """Send a run; the number of its stream."""
        stream: int = self.state.get_next_available_stream_id()
        head = [(":method", "POST"), (":path", path), (":scheme", "http"), (":authority", "x")]
        self.state.send_headers(stream, [*head, *JSON.items()])
        self.state.send_data(stream, INPUT, end_stream=True)
        self.bodies[stream] = b""
        self.flush()
        return stream

    def read_until(self, stream: int, text: bytes) -> None:
        while text not in self.bodies[stream]:
            for event in self.state.receive_data(self.socket.recv(65536)):
                if isinstance(event, h2.events.DataReceived):
                    self.bodies[event.stream_id] += event.data
                    self.state.acknowledge_received_data(
                        event.flow_controlled_length, event.stream_id
                    )
            self.flush()


def test_a_reset_of_one_http2_stream_interrupts_its_agent_alone(server: Served) -> None:
    before = noted(server)["interrupted"]
    with closing(Http2(server.port)) as client:
        first, second = client.post("/agents/waiting"), client.post("/agents/waiting")
        client.read_until(first, b"waiting")
        client.read_until(second, b"waiting")
        client.state.reset_stream(first)
        client.flush()
        assert wait_for(lambda: noted(server)["interrupted"] == before + 1) < PROMPT
        third = client.post("/agents/record")
        client.read_until(third, b"RUN_FINISHED")
        assert noted(server)["interrupted"] == before + 1
    assert wait_for(lambda: noted(server)["interrupted"] == before + 2) < PROMPT


def test_a_run_may_finish_without_its_client(server: Served) -> None:
    before = noted(server)["finished"]
    with open_stream(server, "patient") as client:
        read_until(client, b"begun")
    wait_for(lambda: noted(server)["finished"] == before + 1)


@pytest.mark.parametrize("agent", ["generated", "drained"])
def test_a_stalled_client_holds_its_agent_back_at_no_cost(server: Served, agent: str) -> None:
    before = noted(server)
    with open_stream(server, agent) as client:
        read_until(client, b"RUN_STARTED")
        wait_for(lambda: noted(server)["said"] > before["said"])
        said, previous = noted(server)["said"], -1
        while said != previous:
            time.sleep(0.1)  # until the agent stands still
            said, previous = noted(server)["said"], said
        now = noted(server)
        assert now["said"] - before["said"] < 500_000
        assert now["resident"] - before["resident"] < 8 * MIB


def test_an_agent_that_never_looks_at_its_stalled_client_is_ended(server: Served) -> None:
    with open_stream(server, "emitted") as client:
        read_until(client, b"RUN_STARTED")
        noted(server)
        assert b'"code":"LIMIT_EXCEEDED"' in last_bytes(client)


def test_a_slow_client_gets_everything_at_no_cost(server: Served) -> None:
    before = noted(server)["resident"]
    with open_stream(server, "slow") as client:
        for _ in range(20):
            assert client.recv(1024)
            time.sleep(0.02)  # a client that is slow
        assert noted(server)["resident"] - before < 8 * MIB
        assert b"RUN_FINISHED" in last_bytes(client)


def test_nothing_is_left_of_many_clients_that_left() -> None:
    env = {**os.environ, "PYTHONASYNCIODEBUG": "1", "PYTHONWARNINGS": "error"}
    with Served("tests.server.edges:GATEWAY", env=env) as server:
        tasks = noted(server)["tasks"]
        for number in range(200):
            client = open_stream(server, "waiting")
            if number % 2:
                read_until(client, b"waiting")
            (by_fin, by_rst)[number // 2 % 2](client)
        wait_for(lambda: noted(server)["tasks"] <= tasks)
        output = server.output()
    assert "Traceback" not in output
    assert "never" not in output


def test_a_stalled_client_is_cut_after_its_time() -> None:
    with Served("tests.server.edges:IMPATIENT") as server:
        tasks = noted(server)["tasks"]
        with open_stream(server, "generated") as stalled, open_stream(server, "waiting") as idle:
            read_until(stalled, b"RUN_STARTED")
            read_until(idle, b"waiting")
            wait_for(lambda: noted(server)["tasks"] > tasks)
            wait_for(lambda: "left" in server.output())
            received = b""
            while chunk := stalled.recv(65536):
                received = (received + chunk)[-100:]
            assert not received.endswith(b"0\r\n\r\n")
            assert noted(server)["interrupted"] == 0


def test_beyond_a_limit_the_answer_is_prompt_and_health_is_served() -> None:
    with Served("tests.server.edges:SMALL") as server, ExitStack() as open:
        streams = [open.enter_context(open_stream(server, "waiting")) for _ in range(2)]
        for client in streams:
            read_until(client, b"waiting")
        assert refusal(server, "waiting") == (429, "TOO_MANY_RUNS", "1")
        client = open.enter_context(open_stream(server, "patient"))
        read_until(client, b"begun")
        assert refusal(server, "record") == (503, "OVERLOADED", "1")
        assert ask(server, "GET", "/healthz", b"", {})[0] == 200


def refusal(server: Served, agent: str) -> tuple[int, str, str | None]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PROMPT)) as client:
        client.request("POST", f"/agents/{agent}", INPUT, JSON)
        answer = client.getresponse()
        return answer.status, orjson.loads(answer.read())["code"], answer.getheader("retry-after")


def test_a_body_that_never_comes_is_answered_and_its_place_is_free_again() -> None:
    with Served("tests.server.edges:SMALL") as server:
        head = b"POST /agents/record HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"
        with ExitStack() as open:
            address = ("127.0.0.1", server.port)
            slow = [
                open.enter_context(socket.create_connection(address, timeout=DEADLINE))
                for _ in range(2)
            ]
            for client in slow:
                client.sendall(head)
            for client in slow:
                assert b"408" in read_until(client, b"\r\n")
            assert noted(server)["interrupted"] == 0


def chunked(size: int) -> Iterator[bytes]:
    piece = b"x" * MIB
    for _ in range(size // MIB):
        yield piece


@pytest.mark.parametrize("length", [True, False])
def test_a_body_of_200_mb_is_refused_at_no_cost(server: Served, length: bool) -> None:
    before = noted(server)["resident"]
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)) as client:
        headers = {**JSON, "content-length": str(200 * MIB)} if length else JSON
        client.request("POST", "/agents/record", chunked(200 * MIB), headers)
        answer = client.getresponse()
        assert (answer.status, orjson.loads(answer.read())["code"]) == (413, "BODY_TOO_LARGE")
    assert noted(server)["resident"] - before < 24 * MIB


@pytest.fixture
def many_files() -> Iterator[None]:
    """As many open files as the machine allows this process and its children."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096, reason="too few open files allowed"
)
def test_two_thousand_idle_streams_take_little(many_files: None) -> None:
    """30 KB each with the compiled core and metrics, of which granian takes 17."""
    with Served("tests.server.edges:GATEWAY") as server, ExitStack() as open:

        def open_many(count: int) -> int:
            for _ in range(count):
                read_until(open.enter_context(open_stream(server, "waiting")), b"waiting")
            return noted(server)["resident"]

        before = open_many(100)
        each = (open_many(IDLE) - before) / IDLE
        assert each <= (30 if gateway_native.COMPILED else 50) * 1024
        assert ask(server, "GET", "/healthz", b"", {})[0] == 200
