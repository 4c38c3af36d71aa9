"""A server process, as a user starts it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import orjson
import pytest

from tests.served import Served

INPUT = orjson.dumps({"threadId": "t1", "runId": "r1", "messages": []})
JSON = {"content-type": "application/json"}
DEADLINE = 20.0


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with Served("tests.server.agents:AGENTS") as running:
        yield running


def ask(
    server: Served, method: str, path: str, body: bytes = INPUT, headers: dict[str, str] = JSON
) -> tuple[int, bytes]:
    """Status and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def open_stream(server: Served, agent: str) -> socket.socket:
    """A connection that has asked for a run and read nothing."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
    head = f"POST /agents/{agent} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(INPUT)}\r\n\r\n"
    client.sendall(head.encode() + INPUT)
    return client


def read_until(client: socket.socket, text: bytes) -> bytes:
    received = b""
    while text not in received:
        chunk = client.recv(65536)
        assert chunk, received
        received += chunk
    return received


def noted(server: Served, name: str) -> int:
    """What the agent `record` says of the others."""
    status, body = ask(server, "POST", "/agents/record")
    assert status == 200
    found = re.search(rf"{name}=(\d+)", body.decode())
    assert found
    return int(found[1])


def wait_until_interrupted(server: Served, times: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while noted(server, "interrupted") < times:
        assert time.monotonic() < deadline
        time.sleep(0.02)  # between two polls


def greeting(server: Served) -> str:
    """What the server prints once it knows that it answers."""
    deadline = time.monotonic() + DEADLINE
    while "curl" not in server.output():
        assert time.monotonic() < deadline
        time.sleep(0.02)  # between two polls
    return server.output()


def test_it_says_where_it_listens_and_how_to_try_it(server: Served) -> None:
    assert f"listens at {server.url}" in greeting(server)
    assert f"curl -N {server.url}/agents/waiting" in greeting(server)


def test_a_run_is_streamed(server: Served) -> None:
    with open_stream(server, "record") as client:
        received = read_until(client, b"RUN_FINISHED").decode()
    head, _, body = received.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200")
    assert "content-type: text/event-stream\r\n" in head.lower() + "\r\n"
    assert "connection:" not in head.lower()
    assert "RUN_STARTED" in body


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("POST", "/agents/record", b"{", JSON, 400),
        ("POST", "/agents/nobody", INPUT, JSON, 404),
        ("GET", "/agents/record", b"", {}, 405),
        ("POST", "/agents/record", INPUT, {**JSON, "accept": "image/png"}, 406),
        ("POST", "/agents/record", b" " * (9 * 1024 * 1024), JSON, 413),
        ("POST", "/agents/record", b"a=b", {"content-type": "text/plain"}, 415),
        ("GET", "/healthz", b"", {}, 200),
        ("GET", "/agents", b"", {}, 200),
    ],
)
def test_requests_are_answered_as_they_deserve(
    server: Served, method: str, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert ask(server, method, path, body, headers)[0] == status


def test_a_client_that_leaves_interrupts_the_agent(server: Served) -> None:
    before = noted(server, "interrupted")
    with open_stream(server, "waiting") as first, open_stream(server, "waiting") as second:
        read_until(first, b"waiting")
        read_until(second, b"waiting")
        first.close()
        wait_until_interrupted(server, before + 1)
        assert noted(server, "interrupted") == before + 1
        second.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset it
        second.close()
        wait_until_interrupted(server, before + 2)


def test_a_client_that_does_not_read_holds_its_agent_back(server: Served) -> None:
    with open_stream(server, "flood") as client:
        read_until(client, b"RUN_STARTED")
        said, previous = noted(server, "said"), -1
        while said != previous:
            time.sleep(0.2)  # until the agent stands still
            said, previous = noted(server, "said"), said
        assert said < 500


def test_sigterm_ends_open_streams_with_a_terminal_event() -> None:
    with Served("tests.server.agents:AGENTS") as server:
        with open_stream(server, "waiting") as client:
            read_until(client, b"waiting")
            server.process.send_signal(signal.SIGTERM)
            assert b"RUN_ERROR" in read_until(client, b"0\r\n\r\n")
        assert server.stop() == 0


def test_an_interrupt_from_the_keyboard_ends_it() -> None:
    with Served("tests.server.agents:AGENTS", "--workers", "2") as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(DEADLINE) == 0


def test_a_port_in_use_is_said_in_one_line(server: Served) -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--port", str(server.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"agui-gateway: cannot listen at 127.0.0.1:{server.port}: Address already in use\n"
    )


def test_a_host_may_be_a_name() -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--host", "localhost", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "listens at http://" in process.stdout.readline()
        process.terminate()
        assert process.wait(DEADLINE) == 0


def test_a_host_that_does_not_exist_is_said_in_one_line() -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--host", "256.0.0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("agui-gateway: cannot listen at 256.0.0.1:8000: ")


def test_agents_that_cannot_be_loaded_end_the_server() -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--port", "0", "tests.server:NOTHING"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1
    assert "module tests.server has no NOTHING" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_worker_that_dies_is_replaced() -> None:
    with Served("tests.server.agents:AGENTS") as server:
        greeting(server)
        with open_stream(server, "crash") as client:
            while client.recv(65536):
                pass
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                assert ask(server, "GET", "/healthz", b"", {})[0] == 200
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)  # between two polls


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_still_loading_is_not_waited_for(signal_number: int) -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--port", "0", "tests.server.stuck:AGENTS"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal_number)
        assert process.wait(5) == 0


def test_the_process_group_of_a_terminal_is_ended_by_one_keystroke() -> None:
    command = [
        sys.executable,
        "-m",
        "gateway",
        "serve",
        "--port",
        "0",
        "tests.server.agents:AGENTS",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0) as process:
        assert process.stdout
        assert "listens at" in process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(DEADLINE) == 0
