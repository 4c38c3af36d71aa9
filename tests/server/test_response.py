"""What goes back."""

import asyncio

from gateway.errors import RefusedError
from gateway.server.asgi import Message
from gateway.server.response import document, refusal, respond, stream_head


def test_an_error_has_one_shape() -> None:
    plain = refusal(RefusedError(404, "NOT_FOUND", "Nothing."))
    assert (plain.status, plain.body) == (404, b'{"code":"NOT_FOUND","message":"Nothing."}')
    pointed = refusal(RefusedError(400, "INVALID_INPUT", "Bad.", pointer=""))
    assert pointed.body == b'{"code":"INVALID_INPUT","message":"Bad.","pointer":""}'


def test_head_gets_the_length_without_the_body() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(respond(document({"a": 1}), send, head_only=True))
    assert (b"content-length", b"7") in sent[0]["headers"]
    assert sent[1:] == [{"type": "http.response.body", "body": b"", "more_body": False}]


def test_a_protobuf_stream_has_its_exact_type() -> None:
    headers = dict(stream_head("protobuf")["headers"])
    assert headers[b"content-type"] == b"application/vnd.ag-ui.event+proto"
    assert b"connection" not in headers
