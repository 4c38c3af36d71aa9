"""What goes back: JSON documents, refusals, and the head of a stream."""

from typing import Any, Final, NamedTuple

import msgspec

from gateway.errors import RefusedError
from gateway.server.asgi import Message, Send
from gateway.server.negotiation import CONTENT_TYPES, Encoding

Headers = tuple[tuple[bytes, bytes], ...]

KEEP_ALIVE: Final[dict[Encoding, bytes]] = {"sse": b":\n\n", "protobuf": b""}
"""What is sent into a silent stream; protobuf has no frame that means nothing."""

_encode: Final = msgspec.json.Encoder().encode


class Response(NamedTuple):
    """A complete answer; `body` is JSON."""

    status: int
    body: bytes
    headers: Headers = ()
    content_type: bytes = b"application/json"


def document(value: Any, status: int = 200) -> Response:
    """An answer whose body is the value as JSON."""
    return Response(status, _encode(value))


def refusal(error: RefusedError) -> Response:
    """The one shape of an error: `{"code", "message", "pointer"?}`."""
    body = {"code": error.code, "message": error.message}
    if error.pointer is not None:
        body["pointer"] = error.pointer
    return Response(error.status, _encode(body), error.headers)


INTERNAL_ERROR: Final = refusal(
    RefusedError(500, "INTERNAL_ERROR", "The gateway failed; its log says why.")
)


async def respond(
    response: Response, send: Send, extra: Headers = (), *, head_only: bool = False
) -> None:
    """Send a complete answer with `extra` header fields; `head_only` is for HEAD."""
    headers = [(b"cache-control", b"no-store"), *response.headers, *extra]
    if response.status != 204:
        headers += (
            (b"content-type", response.content_type),
            (b"content-length", str(len(response.body)).encode()),
        )
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    body = b"" if head_only else response.body
    await send({"type": "http.response.body", "body": body, "more_body": False})


def stream_head(encoding: Encoding, extra: Headers = ()) -> Message:
    """The head of a stream, with `extra` header fields.

    Its content type carries no parameter, since clients compare it exactly. Caches and proxies are
    asked neither to keep, nor to rewrite, nor to hold back the body (spec:
    `docs/spec/1.1/basic/transports/http-sse.mdx`).
    """
    headers = [
        (b"content-type", CONTENT_TYPES[encoding].encode()),
        (b"cache-control", b"no-cache, no-transform"),
        (b"x-accel-buffering", b"no"),
        (b"vary", b"Accept"),
        *extra,
    ]
    return {"type": "http.response.start", "status": 200, "headers": headers}
