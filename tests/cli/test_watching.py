"""A served gateway, watched as operators do: scraped, traced, and its log read."""

import http.client
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from tests.served import Served

KEY = "planted-Key.0123456789"
INPUT = b'{"threadId": "t1", "runId": "r1", "protocolVersion": "1.0", "messages": []}'
HEADERS = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
DEADLINE = 20.0


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    env = {**os.environ, "AGUI_GATEWAY_LOGS_FORMAT": "json"}
    with Served("tests.server.agents:AGENTS", "--workers", "2", env=env) as running:
        yield running


def ask(port: int, method: str, path: str, headers: dict[str, str] = HEADERS) -> bytes:
    """The body of an answer on a connection of its own; b"" if the worker dies over it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request(method, path, INPUT if method == "POST" else None, headers)
        return connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return b""
    finally:
        connection.close()


def total(server: Served, name: str, **labels: str) -> float:
    """The sum of a sample over whatever labels are not given."""
    text = ask(server.port, "GET", "/metrics").decode()
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two polls


def test_counters_are_those_of_all_workers_and_survive_a_crash_and_a_reload(server: Served) -> None:
    name, labels = "agui_runs_ended_total", {"agent": "record", "outcome": "success"}
    for _ in range(20):
        ask(server.port, "POST", "/agents/record")
    wait_until(lambda: total(server, name, **labels) == 20)
    ask(server.port, "POST", "/agents/crash")
    assert total(server, name, **labels) == 20
    assert total(server, "agui_runs_started_total", agent="crash") == 1
    wait_until(lambda: total(server, "agui_runs_active", agent="crash") == 0)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: bool(ask(server.port, "POST", "/agents/record")))
    wait_until(lambda: total(server, name, **labels) >= 21)


def test_no_secret_and_one_line_for_each_run_is_in_the_log(server: Served) -> None:
    ask(server.port, "POST", "/agents/record")
    ask(server.port, "POST", "/agents/none")

    def ends() -> list[dict[str, object]]:
        entries = [json.loads(line) for line in server.output().splitlines() if line[:1] == "{"]
        return [entry for entry in entries if entry["logger"] == "gateway.runs"]

    wait_until(lambda: len(ends()) > 0)
    assert {entry["run"] for entry in ends()} == {"r1"}
    assert KEY not in server.output()


class Collector:
    """An OTLP collector on loopback."""

    def __init__(self) -> None:
        names: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                request = ExportTraceServiceRequest.FromString(body)
                for resource in request.resource_spans:
                    for scope in resource.scope_spans:
                        names.extend(span.name for span in scope.spans)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.names = names
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_spans_reach_a_collector_before_the_process_ends() -> None:
    collector = Collector()
    env = {
        **os.environ,
        "AGUI_GATEWAY_TRACING_ENABLED": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
    }
    try:
        with Served(env=env) as server:
            ask(server.port, "POST", "/agents/tour")
            assert server.stop() == 0
        assert "invoke_agent tour" in collector.names
        assert any(name.startswith("execute_tool") for name in collector.names)
    finally:
        collector.close()
