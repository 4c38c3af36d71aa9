"""Bearer tokens that an issuer has signed: JWT (RFC 7519) with keys of a JWKS (RFC 7517)."""

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from gateway.agent import Request
from gateway.errors import RefusedError
from gateway.server.identity import Principal, bearer
from gateway.server.settings import Jwt

try:
    import jwt
except ImportError as error:  # pragma: no cover - the extra is installed for tests
    raise ImportError("JWT needs the extra `jwt`: pip install 'agui-gateway[jwt]'") from error

logger = logging.getLogger("gateway.server")

FETCH_SECONDS: Final = 5.0
PAUSE: Final = 10.0
"""Seconds between two fetches, however many unknown keys are named meanwhile."""

RETRY: Final = 1.0
"""Seconds between two fetches while there is no key at all."""

Keys: TypeAlias = dict[str | None, jwt.PyJWK]


class KeySet:
    """The keys of an issuer by id; those of a URL are fetched when needed, in a thread.

    Raises ValueError for a file that holds no key set. A key set that cannot be fetched again stays
    in use.
    """

    def __init__(self, settings: Jwt, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = settings.jwks_url
        self._refresh = settings.refresh
        self._clock = clock
        self._tried_at: float | None = None
        self._fetching = asyncio.Lock()
        self._keys: Keys = _read(settings.jwks_file) if settings.jwks_file else {}

    async def find(self, id: str | None) -> jwt.PyJWK | None:
        """The key with that id, or the only key for a token that names none.

        Raises RefusedError (503) while there is no key set at all.
        """
        if self._url and self._is_due(id):
            async with self._fetching:
                if self._is_due(id):
                    await self._fetch()
        if not self._keys:
            raise _unavailable()
        if id is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(id)

    def _is_due(self, id: str | None) -> bool:
        if self._tried_at is None:
            return True
        age = self._clock() - self._tried_at
        if not self._keys:
            return age > RETRY
        return age > self._refresh or (id not in self._keys and age > PAUSE)

    async def _fetch(self) -> None:
        client = jwt.PyJWKClient(self._url, cache_jwk_set=False, timeout=FETCH_SECONDS)
        try:
            self._keys = _keys(await asyncio.to_thread(client.fetch_data))
        except (jwt.PyJWTError, ValueError, OSError) as error:
            logger.error("the key set at %s cannot be used: %s", self._url, type(error).__name__)
        self._tried_at = self._clock()


class Tokens:
    """Knows principals by the tokens of one issuer."""

    def __init__(self, settings: Jwt) -> None:
        self._settings = settings
        self._keys = KeySet(settings)

    async def __call__(self, request: Request) -> Principal | None:
        """Who brought a token that is genuine, meant for us and not expired."""
        token = bearer(request)
        if token is None or token.count(".") != 2:
            return None
        try:
            id = jwt.get_unverified_header(token).get("kid")
            key = await self._keys.find(id)
            return None if key is None else self._principal(self._claims(token, key))
        except jwt.PyJWTError as error:
            raise _invalid(error) from error

    def _claims(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        settings = self._settings
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(settings.algorithms),
            audience=settings.audience,
            issuer=settings.issuer,
            leeway=settings.leeway,
            options={"require": ["exp", "iss", "aud", settings.claim]},
        )
        return claims

    def _principal(self, claims: dict[str, Any]) -> Principal:
        return Principal(id=str(claims[self._settings.claim]), claims=claims)


def _unavailable() -> RefusedError:
    retry_after = ((b"retry-after", b"5"),)
    return RefusedError(
        503, "IDENTITY_UNAVAILABLE", "Tokens cannot be checked now.", headers=retry_after
    )


def _invalid(error: jwt.PyJWTError) -> RefusedError:
    """Why a token is refused, without a word of what stands in it."""
    why = "has expired" if isinstance(error, jwt.ExpiredSignatureError) else "is not valid"
    challenge = ((b"www-authenticate", b'Bearer error="invalid_token"'),)
    return RefusedError(401, "UNAUTHENTICATED", f"The token {why}.", headers=challenge)


def _read(path: str) -> Keys:
    try:
        return _keys(msgspec.json.decode(Path(path).read_bytes()))
    except (OSError, ValueError, jwt.PyJWTError) as error:
        raise ValueError(f"jwks_file: {path} holds no key set: {error}") from error


def _keys(document: Any) -> Keys:
    if not isinstance(document, dict):
        raise ValueError("expected a JSON object with `keys`")
    return {key.key_id: key for key in jwt.PyJWKSet.from_dict(document).keys}
