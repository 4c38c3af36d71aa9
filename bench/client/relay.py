"""What a burst costs the process that passes it on, and what it costs one that makes it.

`python -m bench.client.relay [RUNS]`: bursts of a thousand deltas over 200 connections, in one run
of this program, to a gateway in front of an upstream, to the same gateway hosting the burst, and to
a FastAPI relay in front of the same upstream, which parses with `ag-ui-protocol` and writes with
its encoder (uvicorn with uvloop, httpx2). Timed: the CPU time, user and system, of the serving
process and its children, by the kernel's accounts, after a round for warming up; divided by the
events that the viewers got. Upstream and viewers are processes of their own and are not counted.
Exits with 1 when a ratio is beyond its limit.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.served import free_port

CONNECTIONS = 200
RUNS = 2000
RELAY_RUNS = 200
ROUNDS = 3

AT_LEAST = 20.0
"""A relay costs so many times as much as the gateway."""

AT_MOST = 3.0
"""A remote burst costs so many times as much as a hosted one."""

TICK = os.sysconf("SC_CLK_TCK")


class Served(NamedTuple):
    """A process under measurement."""

    process: subprocess.Popen[bytes]
    port: int


@contextmanager
def serving(command: list[str], port: int, **env: str) -> Iterator[Served]:
    """Start a server and wait until its port answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield Served(process, port)
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        try:
            connection.connect()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
        finally:
            connection.close()
    raise SystemExit(f"{process.args!r} does not answer")


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its descendants so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / TICK
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(cpu_seconds(int(child)) for child in children)


def measure(served: Served, path: str, runs: int) -> float:
    """Microseconds of CPU an event."""
    url = f"http://127.0.0.1:{served.port}{path}"
    before = cpu_seconds(served.process.pid)
    done = subprocess.run(
        [sys.executable, "-m", "bench.client.load", url, str(CONNECTIONS), str(runs)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    events: int = json.loads(done.stdout)["events"]
    return (cpu_seconds(served.process.pid) - before) * 1e6 / events


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def figures(runs: int) -> dict[str, float]:
    """Microseconds of CPU an event, by what was served."""
    ports = [free_port() for _ in range(3)]
    upstream = f"http://127.0.0.1:{ports[0]}/"
    gateway = ["gateway", "serve", "bench.client.target:AGENTS", "--port", str(ports[1])]
    relay = ["uvicorn", "tests.client.foreign:app", "--port", str(ports[2]), "--loop", "uvloop"]
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(serving(["bench.client.burst", str(ports[0])], ports[0]))
        ours = enter(serving(gateway, ports[1], UPSTREAM=upstream))
        theirs = enter(serving([*relay, "--log-level", "error"], ports[2], UPSTREAM=upstream))
        cases = {
            "hosted": (ours, "/agents/hosted", runs),
            "hosted events": (ours, "/agents/events", runs),
            "remote": (ours, "/agents/remote", runs),
            "relay": (theirs, "/relay", max(CONNECTIONS, runs * RELAY_RUNS // RUNS)),
        }
        for served, path, _ in cases.values():
            measure(served, path, CONNECTIONS)
        rounds = [{name: measure(*case) for name, case in cases.items()} for _ in range(ROUNDS)]
    return {name: median([each[name] for each in rounds]) for name in cases}


def main() -> int:
    """Measure, print, compare with the limits."""
    found = figures(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
    for name, microseconds in found.items():
        print(f"{name:14} {microseconds:8.3f} µs of CPU an event")
    saved = found["relay"] / found["remote"]
    price = found["remote"] / found["hosted"]
    print(f"relay / remote  {saved:7.1f}  (at least {AT_LEAST:g})")
    print(f"remote / hosted {price:7.2f}  (at most {AT_MOST:g})")
    return 0 if saved >= AT_LEAST and price <= AT_MOST else 1


if __name__ == "__main__":
    sys.exit(main())
