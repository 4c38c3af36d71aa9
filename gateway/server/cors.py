"""Pages of other origins: which may call, and what their browsers are told (the Fetch standard)."""

from typing import Final

from gateway.errors import RefusedError
from gateway.server.asgi import Scope
from gateway.server.response import Headers, Response
from gateway.server.settings import Cors

EXPOSED: Final = b"retry-after, www-authenticate"
METHODS: Final = b"GET, HEAD, POST"


class CrossOrigin:
    """Answers preflights, and adds to every answer what a browser wants to see there."""

    def __init__(self, settings: Cors) -> None:
        self._settings = settings
        self._origins = frozenset(origin.encode() for origin in settings.origins)

    def headers(self, scope: Scope) -> Headers:
        """What every answer to the request carries besides, errors and streams too."""
        if not self._origins:
            return ()
        origin = _field(scope, b"origin")
        if origin not in self._origins:
            return ((b"vary", b"Origin"),)
        allowed = (b"access-control-allow-origin", origin)
        exposed = (b"access-control-expose-headers", EXPOSED)
        return ((b"vary", b"Origin"), allowed, exposed, *self._credentials())

    def preflight(self, scope: Scope) -> Response | None:
        """The answer to a preflight, None for any other request. Refuses (403) other origins."""
        if scope["method"] != "OPTIONS" or not self._origins:
            return None
        if not _field(scope, b"access-control-request-method"):
            return None
        if _field(scope, b"origin") not in self._origins:
            raise RefusedError(403, "ORIGIN_REFUSED", "Pages of this origin may not call.")
        return Response(204, b"", self._permission())

    def _permission(self) -> Headers:
        return (
            (b"access-control-allow-methods", METHODS),
            (b"access-control-allow-headers", ", ".join(self._settings.headers).encode()),
            (b"access-control-max-age", str(self._settings.max_age).encode()),
        )

    def _credentials(self) -> Headers:
        if not self._settings.credentials:
            return ()
        return ((b"access-control-allow-credentials", b"true"),)


def _field(scope: Scope, name: bytes) -> bytes:
    for key, value in scope["headers"]:
        if key.lower() == name:
            found: bytes = value
            return found
    return b""
