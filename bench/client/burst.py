"""An upstream that answers each request with one recorded burst; as cheap as Python can make it.

`python -m bench.client.burst PORT`. Every answer is the same run, whatever was asked.
"""

import asyncio
import sys

import orjson

DELTAS = 1000
TEXT = "twenty bytes of text"


def _events() -> list[dict[str, str]]:
    content = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": TEXT}
    return [
        {"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
        *[content] * DELTAS,
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
        {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r1"},
    ]


EVENTS = _events()
BODY = b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in EVENTS)
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    + b"%x\r\n" % len(BODY)
    + BODY
    + b"\r\n0\r\n\r\n"
)


class Answering(asyncio.Protocol):
    """Answers each request on a connection; a request ends where its JSON does."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, body = self._received.partition(b"\r\n\r\n")
        if not blank:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) >= length:
            self._received = body[length:]
            self._transport.write(ANSWER)


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
