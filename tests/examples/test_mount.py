"""The gateway mounted in applications of three frameworks, each served as its users would."""

import http.client
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.life import eventually
from tests.served import free_port
from tests.server.test_serve import DEADLINE

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
HELLO = b'{"threadId":"t1","runId":"r1","messages":[{"id":"m","role":"user","content":"Hi there"}]}'


def ask(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request(method, path, body, {"content-type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    except OSError:
        return 0, b""
    finally:
        connection.close()


@pytest.fixture(params=["starlette", "fastapi", "litestar"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    port = free_port()
    target = f"mount_{request.param}:app"
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--port", str(port), target]
    with subprocess.Popen(command, cwd=EXAMPLES) as process:
        try:
            eventually(lambda: ask(port, "GET", "/")[0] == 200)
            yield port
        finally:
            process.terminate()
            assert process.wait(DEADLINE) == 0


def test_agents_are_reached_below_the_path_of_the_mount(port: int) -> None:
    assert b"home" in ask(port, "GET", "/")[1]
    assert ask(port, "GET", "/agui/readyz") == (200, b'{"status":"ready"}')
    assert b'"echo"' in ask(port, "GET", "/agui/agents")[1]
    status, body = ask(port, "POST", "/agui/agents/echo", HELLO)
    assert (status, b"RUN_FINISHED" in body) == (200, True)
    assert ask(port, "POST", "/agui/agents/nobody", HELLO)[0] == 404


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("mount_*.py")), ids=lambda path: path.stem)
def test_a_mount_takes_twenty_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 20
