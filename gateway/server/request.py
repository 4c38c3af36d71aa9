"""Reading a request: its path, its header fields and its body."""

import asyncio
import logging
import re
from contextlib import suppress
from itertools import accumulate
from typing import Final

from gateway.errors import ClientLeftError, DecodeError, MalformedError, RefusedError
from gateway.protocol.input import RunAgentInput
from gateway.protocol.input_decoder import decode_input
from gateway.protocol.notices import Notice
from gateway.server.asgi import Receive, Scope

logger = logging.getLogger("gateway.server")

_JSON: Final = re.compile(r"(application|text)/json|[^\s/;,]+/[^\s/;,]+\+json")
DISCARD_SECONDS: Final = 5.0
DISCARD_BYTES: Final = 256 * 1024 * 1024
_NEITHER: Final = bytes(set(range(256)) - set(b'[]{}"'))
"""All bytes but brackets and quotes."""

_STEP: Final = [{91: 1, 123: 1, 93: -1, 125: -1}.get(byte, 0) for byte in range(256)]
"""What each byte adds to the depth."""

LONGEST_LENGTH: Final = 18
"""Digits of a Content-Length beyond which it is too large whatever the limit."""


def path(scope: Scope) -> str:
    """The path below the place where the application is mounted, without a slash at its end.

    `root_path` names the mount point. Some routers leave that in `path`, some cut it off, some
    (Litestar) end the rest with a slash; and behind a proxy that cuts off a prefix of its own,
    `root_path` begins with what `path` no longer has, which Starlette calls `app_root_path`.
    """
    whole: str = scope["path"].rstrip("/")
    root: str = scope.get("root_path", "").rstrip("/")
    for mount in (root, root.removeprefix(scope.get("app_root_path", ""))):
        if mount and (whole == mount or whole.startswith(mount + "/")):
            return whole[len(mount) :] or "/"
    return whole or "/"


def fields(scope: Scope) -> dict[str, str]:
    """Header fields by lower-case name; the lines of one field are joined (RFC 9110, 5.3)."""
    joined: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def require_json(content_type: str | None, origin: str | None = None) -> None:
    """Refuse (415) a body that does not claim to be JSON; saying nothing is accepted.

    What a foreign page can send without asking first is refused on purpose, so that it cannot start
    a run: the types of HTML forms, and no type from any page (`origin` is the field of that name).
    """
    essence = (content_type or "").partition(";")[0].strip().lower()
    if _JSON.fullmatch(essence) or (origin is None and not (content_type or "").strip()):
        return
    raise RefusedError(
        415, "UNSUPPORTED_MEDIA_TYPE", f"The body must be application/json, not {essence[:100]!r}."
    )


def _require_size(size: int, limit: int) -> None:
    if size > limit:
        raise RefusedError(413, "BODY_TOO_LARGE", f"The body exceeds {limit} bytes.")


class Body:
    """The body of one request, read at most once."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._complete = False

    async def read(self, limit: int, length: str | None, seconds: float | None = None) -> bytes:
        """The whole body; `length` is the Content-Length field.

        Raises RefusedError (413) as soon as it is known to exceed `limit` bytes or (408) when it
        takes more than `seconds`, ClientLeftError when the connection closes first.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._read(limit, length)
        except TimeoutError:
            raise RefusedError(
                408, "BODY_TIMEOUT", f"The body did not arrive within {seconds:g} seconds."
            ) from None

    async def _read(self, limit: int, length: str | None) -> bytes:
        if length is not None and length.isdecimal():
            _require_size(int(length) if len(length) <= LONGEST_LENGTH else limit + 1, limit)
        chunks: list[bytes] = []
        size = 0
        while not self._complete:
            chunks.append(await self._next())
            size += len(chunks[-1])
            _require_size(size, limit)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def discard(self) -> None:
        """Read on, for a while, what a client goes on sending after it was refused.

        Most clients look at the answer only when they have sent everything; a connection that is
        closed before makes them report a broken pipe instead of the refusal.
        """
        size = 0
        with suppress(TimeoutError, ClientLeftError):
            async with asyncio.timeout(DISCARD_SECONDS):
                while not self._complete and size < DISCARD_BYTES:
                    size += len(await self._next())

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientLeftError("the client left while sending its request")
        self._complete = not message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        return chunk


def run_input(body: bytes, max_messages: int, max_depth: int) -> RunAgentInput:
    """Decode the body of a run. Raises RefusedError (400) that says what is wrong and where."""
    if not body.strip():
        raise RefusedError(400, "INVALID_INPUT", "The body is empty; expected a RunAgentInput.")
    if depth(body, max_depth) > max_depth:
        message = f"The JSON is nested deeper than {max_depth} levels."
        raise RefusedError(400, "INVALID_INPUT", message)
    input = _decoded(body)
    if len(input.messages) > max_messages:
        message = f"There are more than {max_messages} messages."
        raise RefusedError(400, "INVALID_INPUT", message, pointer="/messages")
    return input


def depth(body: bytes, enough: int = 0) -> int:
    """How deeply the JSON is nested; any number up to `enough` if it has no more brackets.

    One pass at the speed of C over what is left when everything but brackets outside of strings is
    taken away, so it costs less than decoding, which must not meet what is too deep.
    """
    if body.count(b"[") + body.count(b"{") <= enough:
        return 0
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(unescaped.translate(None, _NEITHER).split(b'"')[::2])
    return max(accumulate(map(_STEP.__getitem__, outside)), default=0)


def _decoded(body: bytes) -> RunAgentInput:
    try:
        return decode_input(body, _log)
    except MalformedError as error:
        raise RefusedError(400, "INVALID_INPUT", str(error), pointer=error.pointer) from error
    except DecodeError as error:
        raise RefusedError(400, "INVALID_INPUT", error.reason) from error


def _log(notice: Notice) -> None:
    logger.warning("input: %s at %s", notice.code, notice.path)
