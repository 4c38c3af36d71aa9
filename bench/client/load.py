"""Viewers: so many connections, each asking for one run after the other and reading it to its end.

`python -m bench.client.load URL CONNECTIONS RUNS` prints the number of events and the seconds as
JSON; exits with 1 unless every run has all its events.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlsplit

from bench.client.burst import EVENTS

INPUT = (
    b'{"threadId":"t1","runId":"r1","protocolVersion":"1.0","state":{},"messages":[],"tools":[],'
    b'"context":[],"forwardedProps":{}}'
)


class Viewers:
    """Shares `runs` runs between `connections` viewers."""

    def __init__(self, url: str, connections: int, runs: int) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname, parts.port)
        self._connections = connections
        self._left = runs
        self.events = 0
        self._request = (
            b"POST %b HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            b"accept: text/event-stream\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
            % (parts.path.encode(), len(INPUT), INPUT)
        )

    async def run(self) -> None:
        await asyncio.gather(*(self._view() for _ in range(self._connections)))

    async def _view(self) -> None:
        while self._left > 0:
            self._left -= 1
            reader, writer = await asyncio.open_connection(*self._address, limit=1 << 20)
            writer.write(self._request)
            body = await reader.read(-1)
            writer.close()
            self.events += body.count(b'"type":')
            if b"RUN_FINISHED" not in body[-400:]:
                raise SystemExit(f"a run did not finish: {body[-400:]!r}")


async def main(url: str, connections: int, runs: int) -> None:
    viewers = Viewers(url, connections, runs)
    began = time.perf_counter()
    await viewers.run()
    print(json.dumps({"events": viewers.events, "seconds": time.perf_counter() - began}))
    expected = len(EVENTS) * runs
    if not expected <= viewers.events <= expected + 2 * runs:
        raise SystemExit(f"{viewers.events} events instead of {expected}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
