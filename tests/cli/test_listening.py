"""Where and how a server listens: sockets, TLS, versions of HTTP, proxies."""

import http.client
import os
import resource
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import trustme

from gateway.cli.configuration import Listener, Tls
from gateway.cli.listening import bound, greeting, joined
from tests.cli.life import eventually
from tests.served import Served
from tests.server.test_serve import DEADLINE, ask

SETTINGS = b"\0\0\0\4\0\0\0\0\0"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SETTINGS


@contextmanager
def started(*arguments: str) -> Iterator[tuple[int, str]]:
    """A server wherever it listens: its port, if it has one, and what it said first."""
    command = [sys.executable, "-m", "gateway", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            port = line.strip().rpartition(":")[2]
            yield (int(port) if port.isdecimal() else 0), line
        finally:
            process.terminate()
            assert process.wait(DEADLINE) == 0


def status(connection: http.client.HTTPConnection, path: str = "/readyz") -> int:
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


class UnixConnection(http.client.HTTPConnection):
    """A connection to a path."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(self.host)


def test_a_unix_socket_serves_and_is_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    with started("--unix-socket", str(path), "--workers", "2", "--access-log") as (_, line):
        assert str(path) in line
        assert status(UnixConnection(str(path))) == 200
    assert not path.exists()


def test_a_unix_socket_in_no_folder_is_said_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gateway", "serve", "--unix-socket", f"{tmp_path}/no/socket"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "its folder does not exist" in done.stderr


def test_tls_serves_both_versions_of_http_and_asks_for_certificates(tmp_path: Path) -> None:
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    server.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    server.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    files = [
        item
        for name, file in {"certificate": "cert", "key": "key", "client-ca": "ca"}.items()
        for item in (f"--tls-{name}", str(tmp_path / f"{file}.pem"))
    ]
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with started(*files) as (port, line):
        assert "https://" in line
        with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
            status(http.client.HTTPSConnection("127.0.0.1", port, context=context))
        authority.issue_cert("client@example.org").configure_cert(context)
        assert status(http.client.HTTPSConnection("127.0.0.1", port, context=context)) == 200
        context.set_alpn_protocols(["h2"])
        with (
            socket.create_connection(("127.0.0.1", port), DEADLINE) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as client,
        ):
            assert client.selected_alpn_protocol() == "h2"


def test_tls_without_its_file_is_said_in_one_line(tmp_path: Path) -> None:
    files = ["--tls-certificate", f"{tmp_path}/none.pem", "--tls-key", f"{tmp_path}/none.pem"]
    command = [sys.executable, "-m", "gateway", "serve", "--port", "0", *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("agui-gateway: server.tls.certificate: cannot read the file")


@pytest.mark.parametrize("version", ["auto", "2"])
def test_http_2_is_spoken_without_tls_to_those_who_know(version: str) -> None:
    with (
        started("--http", version) as (port, _),
        socket.create_connection(("127.0.0.1", port), DEADLINE) as client,
    ):
        client.sendall(PREFACE)
        assert client.recv(9)[3:4] == b"\4"  # SETTINGS


def test_forwarded_addresses_are_believed_of_trusted_proxies_only() -> None:
    forwarded = {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}
    for trusted, address in {"127.0.0.0/8": "203.0.113.7", "10.0.0.0/8": "127.0.0.1"}.items():
        with Served("--trusted-proxies", trusted, "--access-log") as server:
            ask(server, "GET", "/agents", b"", forwarded)
            (line,) = logged(server, '"GET /agents HTTP/1.1" 200')
            assert address in line


def logged(server: Served, text: str) -> list[str]:
    """The lines of the log with a text, as soon as there are any."""
    eventually(lambda: text in server.output())
    return [line for line in server.output().splitlines() if text in line]


def test_a_cut_prefix_is_the_root_path() -> None:
    with Served("--root-path", "/ui") as server:
        assert ask(server, "GET", "/agents", b"", {})[0] == 200
        assert ask(server, "GET", "/ui/agents", b"", {})[0] == 200


def test_more_idle_connections_than_the_usual_limit_of_files_are_served() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1500
    with ExitStack() as stack:
        server = stack.enter_context(Served("--connections", str(wanted + 100)))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, wanted + 512), hard), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(wanted):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), DEADLINE))
        assert ask(server, "GET", "/readyz", b"", {})[0] == 200


def test_a_port_has_one_owner() -> None:
    with bound("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(OSError, match=r"cannot listen at 127\.0\.0\.1:\d+: Address already"):
            bound("127.0.0.1", first.getsockname()[1])


@pytest.mark.parametrize(
    ("listener", "expected"),
    [
        (Listener(host="0.0.0.0", port=1), "curl -N http://127.0.0.1:1/agents/a "),
        (Listener(host="::", port=1), "curl -N http://[::1]:1/agents/a "),
        (Listener(unix_socket="/s"), "curl -N --unix-socket /s http://localhost/agents/a "),
        (Listener(port=1, http="2"), "curl -N --http2-prior-knowledge http://127.0.0.1:1/"),
        (Listener(port=1, tls=Tls(certificate="c", key="k")), "curl -N https://127.0.0.1:1/"),
    ],
)
def test_the_greeting_tells_how_to_reach_it(listener: Listener, expected: str) -> None:
    assert expected in greeting(listener, ["a"])
    assert "curl" not in greeting(listener, [])


def test_addresses_of_version_six_stand_in_brackets() -> None:
    assert (joined("::1", 80), joined("127.0.0.1", 80)) == ("[::1]:80", "127.0.0.1:80")


def test_an_edited_file_restarts_the_workers_when_asked_to(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("async def agent(ctx): ctx.say('one')\nAGENTS = {'a': agent}")
    env = {**os.environ, "PYTHONPATH": f"{Path.cwd()}:{Path.cwd() / 'native'}"}
    command = [sys.executable, "-m", "gateway", "serve", "--port", "0", "--reload", "mine:AGENTS"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=env
    ) as process:
        try:
            assert process.stdout
            port = int(process.stdout.readline().rpartition(":")[2])

            def said(word: bytes) -> bool:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
                try:
                    body = b'{"threadId":"t","runId":"r","messages":[]}'
                    connection.request("POST", "/agents/a", body)
                    return word in connection.getresponse().read()
                except (OSError, http.client.HTTPException):
                    return False
                finally:
                    connection.close()

            eventually(lambda: said(b"one"))
            text = "async def agent(ctx): ctx.say('changed')\nAGENTS = {'a': agent}"
            written = 0.0

            def changed() -> bool:
                nonlocal written
                if time.monotonic() - written > 3:  # the watch may have begun after the last edit
                    (tmp_path / "mine.py").write_text(text)
                    written = time.monotonic()
                return said(b"changed")

            eventually(changed)
        finally:
            process.terminate()
            assert process.wait(DEADLINE) == 0
