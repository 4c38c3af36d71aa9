"""Requests that nobody would send: none is answered with a 5xx or leaves a traceback."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gateway.server.openapi import describe
from tests.served import Served
from tests.server.test_serve import INPUT, ask

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(describe(["record"]))
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with Served("tests.server.edges:GATEWAY") as running:
        yield running
        assert ask(running, "POST", "/agents/record")[0] == 200
        output = running.output()
    assert "Traceback" not in output, output
    assert "panicked" not in output, output


@SCHEMA.parametrize()  # type: ignore[untyped-decorator, unused-ignore]
@QUICK
def test_whatever_the_schema_allows_or_forbids(
    case: schemathesis.Case[Any], server: Served
) -> None:
    case.call_and_validate(base_url=server.url, checks=CHECKS, timeout=10)


def exchange(server: Served, request: bytes) -> bytes:
    """What the server says to these bytes before it closes, or to the end of its patience."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as client:
        try:
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
            while chunk := client.recv(65536):
                received += chunk
        except OSError:
            pass
    return received


def assert_harmless(answer: bytes) -> None:
    statuses = re.findall(rb"HTTP/1\.[01] (\d+)", answer)
    assert not [status for status in statuses if status.startswith(b"5")], answer


HEAD = b"POST /agents/record HTTP/1.1\r\nhost: x\r\n"


MALFORMED = [
    b"",
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x00\x00\x00\x00\x00\x01",
    b"GET /\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET /%00%ff%zz HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET //agents//../%2e%2e/ HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET http://other/agents HTTP/1.1\r\nhost: x\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n",
    b"CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n",
    b"BREW /agents HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET /agents HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 500 + b"\r\n",
    b"GET /agents HTTP/1.1\r\nhost: x\r\na: " + b"b" * 100_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET /agents HTTP/1.1\r\nhost: x\r\nx-a: \xff\xfe\r\naccept: \xff\r\n\r\n",
    b"GET /agents HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    HEAD + b"content-length: -1\r\n\r\n",
    HEAD + b"content-length: 99999999999999999999999999\r\n\r\n",
    HEAD + b"content-length: \xb2\r\n\r\n",
    HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}",
    HEAD + b"content-length: 100\r\n\r\n" + INPUT,
    HEAD + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n\r\n",
    HEAD + b"transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    HEAD + b"transfer-encoding: gzip\r\n\r\n",
    HEAD + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00",
    HEAD + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b"expect: 999\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b"content-length: 2\r\n\r\n\xff\xfe",
    HEAD + b"content-type: application/json; charset=utf-16\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b"content-length: 3\r\n\r\n\xef\xbb\xbf",
    HEAD + b"accept: " + b"text/*;q=" * 500 + b"\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b'accept: "' + b"\\" * 2000 + b"\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b"authorization: Bearer \xff\r\nx-api-key: \xff\r\ncontent-length: 2\r\n\r\n{}",
    HEAD + b"content-length: %d\r\n\r\n" % len(INPUT) + INPUT + b"garbage\r\n\r\n",
    (HEAD + b"content-length: %d\r\n\r\n" % len(INPUT) + INPUT) * 5,
    b"POST /agents/record HTTP/1.0\r\ncontent-length: %d\r\n\r\n" % len(INPUT) + INPUT,
]


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_malformed_requests(server: Served, number: int) -> None:
    assert_harmless(exchange(server, MALFORMED[number]))


GOOD = HEAD + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(INPUT) + INPUT


@QUICK
@given(
    cuts=st.lists(
        st.tuples(st.integers(0, len(GOOD)), st.integers(0, 8), st.binary(max_size=8)),
        min_size=1,
        max_size=4,
    )
)
def test_a_good_request_with_bytes_exchanged(
    server: Served, cuts: list[tuple[int, int, bytes]]
) -> None:
    request = GOOD
    for at, length, new in cuts:
        request = request[:at] + new + request[at + length :]
    assert_harmless(exchange(server, request))


@QUICK
@given(path=st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=60))
def test_any_path(server: Served, path: str) -> None:
    request = b"GET /" + path.encode("latin-1") + b" HTTP/1.1\r\nhost: x\r\n\r\n"
    assert_harmless(exchange(server, request))
