"""Two gateways behind nginx, with the configuration that we recommend."""

import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.life import AGENTS, Load, eventually, open_run, pid_of, workers
from tests.served import Served, free_port
from tests.server.test_serve import DEADLINE, ask, open_stream, read_until

SNIPPET = Path(__file__).parent.parent.parent / "deploy" / "nginx.conf"
FRAME = """
daemon off;
pid {folder}/pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {snippet}
}}
"""

pytestmark = pytest.mark.skipif(
    shutil.which("nginx") is None and "CI" not in os.environ, reason="needs nginx"
)


class Site(NamedTuple):
    """nginx, which can be asked like a gateway, and the gateways behind it."""

    nginx: Served
    gateways: tuple[Served, Served]
    gate: Path


class Front(Served):
    """nginx in the place of a gateway: only its port is used."""

    def __init__(self, port: int) -> None:
        self.port = port


def snippet(port: int, *gateways: int) -> str:
    """Our file with the addresses of a test and a short timeout."""
    text = SNIPPET.read_text()
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{port};",
        "127.0.0.1:8001": f"127.0.0.1:{gateways[0]}",
        "127.0.0.1:8002": f"127.0.0.1:{gateways[1]}",
        "proxy_read_timeout 60s;": "proxy_read_timeout 5s;",
    }.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    gate = tmp_path / "gate"
    env = {**os.environ, "GATE": str(gate)}
    port = free_port()
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(Served(AGENTS, "--keep-alive", "2", env=env)) for _ in range(2)
        )
        configuration = tmp_path / "nginx.conf"
        text = FRAME.format(folder=tmp_path, snippet=snippet(port, first.port, second.port))
        configuration.write_text(text)
        command = ["nginx", "-p", str(tmp_path), "-c", str(configuration)]
        process = stack.enter_context(subprocess.Popen(command))
        stack.callback(process.terminate)
        front = Front(port)
        eventually(lambda: answers(front))
        yield Site(front, (first, second), gate)


def answers(server: Served) -> bool:
    try:
        return ask(server, "GET", "/readyz", b"", {})[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def first_bytes(client: socket.socket) -> float:
    """Seconds until a stream gives anything of its body."""
    started = time.monotonic()
    read_until(client, b"data: ")
    return time.monotonic() - started


def test_gateways_share_the_load_and_silence_outlasts_the_read_timeout(site: Site) -> None:
    with open_stream(site.nginx, "silent") as silent:
        started = time.monotonic()
        assert first_bytes(silent) < 3  # nothing is held back
        known = {pid for gateway in site.gateways for pid in workers(gateway)}
        with Load(site.nginx, clients=4) as load:
            eventually(lambda: load.pids == known)
        assert load.failures == []

        stream, pid = open_run(site.nginx)
        leaving, staying = (
            site.gateways if pid in workers(site.gateways[0]) else site.gateways[::-1]
        )
        with Load(site.nginx, clients=4) as load:
            before = load.answers
            leaving.process.terminate()
            eventually(lambda: ask(leaving, "GET", "/readyz", b"", {})[0] == 503)
            eventually(lambda: load.answers > before + 100)
            site.gate.touch()
            with stream:
                assert b"RUN_FINISHED" in read_until(stream, b"0\r\n\r\n")
        assert load.failures == []
        assert pid_of(site.nginx) in workers(staying)

        silent.settimeout(DEADLINE)
        rest = read_until(silent, b"0\r\n\r\n")
        assert b"spoken" in rest
        assert b"RUN_FINISHED" in rest
        assert rest.count(b":\n\n") >= 4
        assert time.monotonic() - started >= 12
