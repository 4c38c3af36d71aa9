"""Reading a request: its path, its header fields and its body."""

import asyncio
import logging
import re
from contextlib import suppress
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


def require_json(content_type: str | None) -> None:
    """Refuse (415) a body that does not claim to be JSON; saying nothing is accepted.

    The types that an HTML form can send are refused on purpose: a foreign page cannot start a run
    with them.
    """
    essence = (content_type or "").partition(";")[0].strip().lower()
    if content_type is None or not content_type.strip() or _JSON.fullmatch(essence):
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

    async def read(self, limit: int, length: str | None) -> bytes:
        """The whole body; `length` is the Content-Length field.

        Raises RefusedError (413) as soon as it is known to exceed `limit` bytes, ClientLeftError
        when the connection closes first.
        """
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


def run_input(body: bytes) -> RunAgentInput:
    """Decode the body of a run. Raises RefusedError (400) that says what is wrong and where."""
    if not body.strip():
        raise RefusedError(400, "INVALID_INPUT", "The body is empty; expected a RunAgentInput.")
    try:
        return decode_input(body, _log)
    except MalformedError as error:
        raise RefusedError(400, "INVALID_INPUT", str(error), pointer=error.pointer) from error
    except DecodeError as error:
        raise RefusedError(400, "INVALID_INPUT", error.reason) from error


def _log(notice: Notice) -> None:
    logger.warning("input: %s at %s", notice.code, notice.path)
