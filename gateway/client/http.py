"""The HTTP transport (spec: `docs/spec/1.1/basic/transports/http-sse.mdx`).

One pool of connections for each event loop; no cookies, since a pool is shared by many users; no
compression is asked for, since a compressing proxy holds small frames back. Redirects that keep the
method are followed on the same origin only.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urljoin, urlsplit

from gateway.agent.retry_after import parse_retry_after
from gateway.client.bounds import Bounds
from gateway.client.headers import HeaderPolicy
from gateway.client.transport import SSE_TYPE
from gateway.errors import (
    AnswerError,
    NotAStreamError,
    SilenceError,
    TruncatedRunError,
    UnreachableError,
    UpstreamError,
)
from gateway.protocol.input import RunAgentInput
from gateway.protocol.proto import MEDIA_TYPE
from gateway.protocol.values import encode_value

try:
    import aiohttp
except ImportError as error:
    raise ImportError(
        "gateway.client needs aiohttp: pip install 'agui-gateway[client]'", name="aiohttp"
    ) from error

ACCEPT: Final = f"{SSE_TYPE}, {MEDIA_TYPE}"
MAX_ERROR_BODY: Final = 64 * 1024
MAX_REDIRECTS: Final = 5
BUFFER: Final = 256 * 1024
"""Bytes that wait unread before the peer is held back."""


class HttpIncoming:
    """The body of a successful answer."""

    def __init__(self, response: aiohttp.ClientResponse, url: str) -> None:
        self.media_type = response.headers.get("Content-Type", "")
        self._response = response
        self._url = url

    async def read(self) -> bytes:
        """Whatever has arrived; raises TruncatedRunError for a connection that breaks."""
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise noted(TruncatedRunError("the connection broke"), self._url) from error

    async def close(self) -> None:
        """Close the connection, unless the answer is complete and it can serve again."""
        self._response.close()


class Http:
    """Posts inputs; the connections belong to the loop that first used them."""

    def __init__(self, bounds: Bounds = Bounds(), accept: str = ACCEPT) -> None:
        self._bounds = bounds
        self._accept = accept
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, url: str, body: bytes, fields: Mapping[str, str]) -> HttpIncoming:
        """Post JSON; raises UnreachableError, AnswerError, SilenceError or NotAStreamError."""
        headers = {
            "user-agent": "agui-gateway",
            **fields,
            "accept": self._accept,
            "accept-encoding": "identity",
            "content-type": "application/json",
        }
        try:
            response = await self._request(url, body, headers)
        except UpstreamError as error:
            raise noted(error, url) from error.__cause__
        except TimeoutError as error:
            raise noted(SilenceError("a connection", self._bounds.connect or 0), url) from error
        except (aiohttp.ClientError, OSError) as error:
            raise noted(UnreachableError(_reason(error)), url) from error
        try:
            await _require_stream(response)
        except BaseException as error:
            response.close()
            if isinstance(error, UpstreamError):
                noted(error, url)
            raise
        return HttpIncoming(response, url)

    async def _request(
        self, url: str, body: bytes, headers: Mapping[str, str]
    ) -> aiohttp.ClientResponse:
        session = await self._connections()
        for _ in range(MAX_REDIRECTS):
            response = await session.post(url, data=body, headers=headers, allow_redirects=False)
            if response.status not in (307, 308):
                return response
            target = urljoin(url, response.headers.get("Location", ""))
            response.close()
            if _origin(target) != _origin(url):
                raise AnswerError(response.status, "a redirect to another origin is not followed")
            url = target
        raise AnswerError(response.status, "too many redirects")

    async def _connections(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            await self.close()
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._bounds.connect),
                read_bufsize=BUFFER,
            )
        return self._session

    async def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        session, self._session = self._session, None
        if session is not None and self._loop is not None and not self._loop.is_closed():
            await session.close()


class HttpTransport:
    """One server by its URL; raises ValueError for what is no http or https URL."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        bounds: Bounds = Bounds(),
        protobuf: bool = True,
    ) -> None:
        self.url = checked_url(url)
        self._policy = HeaderPolicy(headers)
        self._http = Http(bounds, ACCEPT if protobuf else SSE_TYPE)

    async def open(self, input: RunAgentInput, headers: Mapping[str, str]) -> HttpIncoming:
        """Post an input; fields of this request give way to those configured."""
        fields = {**HeaderPolicy(headers).outgoing(), **self._policy.outgoing()}
        return await self._http.post(self.url, encode_value(input), fields)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.close()


def checked_url(url: str) -> str:
    """The URL itself; raises ValueError unless it is an absolute http or https URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address(url)!r} is no URL of a server: expected http:// or https://")
    _ = parts.port  # raises ValueError by itself
    return url


def address(url: str) -> str:
    """The URL without credentials, query and fragment, for logs."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def noted(error: UpstreamError, url: str) -> UpstreamError:
    """The same error with a note of where it happened."""
    error.add_note(f"at {address(url)}")
    if isinstance(error, AnswerError) and error.body:
        error.add_note(f"the answer begins: {error.body[:300]}")
    return error


def _reason(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        return os.strerror(number) if number and number > 0 else "no connection"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the connection was closed before the answer"
    return type(error).__name__


async def _require_stream(response: aiohttp.ClientResponse) -> None:
    """Refuse an answer that cannot be a stream; an unknown type is read as SSE."""
    if not 200 <= response.status < 300:
        raise AnswerError(
            response.status, await _error_body(response), parse_retry_after(response.headers)
        )
    media_type = response.headers.get("Content-Type", "")
    if response.status in (204, 205) or media_type.lower().startswith("text/html"):
        raise NotAStreamError(media_type)


async def _error_body(response: aiohttp.ClientResponse) -> str:
    try:
        async with asyncio.timeout(5.0):
            body = await response.content.read(MAX_ERROR_BODY)
    except (TimeoutError, aiohttp.ClientError, OSError):
        return ""
    return body.decode("utf-8", "replace")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or default
