"""Identity: who sends a request.

A credential stands in `Authorization: Bearer …`, an API key also in `X-Api-Key`. Whoever the
gateway does not know gets 401, whoever it knows but does not let at an agent 403, before anything
is said about which agents there are. Only what was authenticated counts as identity: neither a
thread id nor anything else that a client may choose.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from msgspec import Struct

from gateway.agent import Request
from gateway.errors import RefusedError
from gateway.server.settings import ApiKey, Identity

NO_CLAIMS: Mapping[str, Any] = MappingProxyType({})
CHALLENGE: Final = ((b"www-authenticate", b"Bearer"),)


class Principal(Struct, frozen=True, kw_only=True):
    """Who was authenticated: `id` is unique, `claims` what the credential says besides.

    `agents` are the names of the agents that the principal may use, all if empty.
    """

    id: str
    claims: Mapping[str, Any] = NO_CLAIMS
    agents: tuple[str, ...] = ()


Authenticate: TypeAlias = Callable[[Request], Awaitable[Principal | None]]
"""Says who sends a request, None for nobody; RefusedError refuses in its own words."""


def bearer(request: Request) -> str | None:
    """The token of an `Authorization: Bearer` field (RFC 6750), None if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def key_digest(key: str) -> str:
    """The digest of an API key as the configuration holds it."""
    return hashlib.sha256(key.encode()).hexdigest()


class ApiKeys:
    """Knows principals by their keys.

    Keys are looked up by digest: how long that takes says nothing about a key.
    """

    def __init__(self, keys: tuple[ApiKey, ...]) -> None:
        self._principals = {
            key.sha256: Principal(id=key.principal, agents=key.agents) for key in keys
        }

    async def __call__(self, request: Request) -> Principal | None:
        """Who brought a key."""
        key = request.headers.get("x-api-key") or bearer(request)
        return None if key is None else self._principals.get(key_digest(key))


def authenticate_by(identity: Identity) -> Authenticate | None:
    """What the settings ask for; None lets everybody in. Raises ImportError without extra `jwt`."""
    ways: list[Authenticate] = []
    if identity.api_keys:
        ways.append(ApiKeys(identity.api_keys))
    if identity.jwt is not None:
        from gateway.server.tokens import Tokens

        ways.append(Tokens(identity.jwt))
    return _any_of(ways) if ways else None


def _any_of(ways: list[Authenticate]) -> Authenticate:
    if len(ways) == 1:
        return ways[0]

    async def authenticate(request: Request) -> Principal | None:
        for way in ways:
            if (principal := await way(request)) is not None:
                return principal
        return None

    return authenticate


async def identify(authenticate: Authenticate | None, request: Request) -> Principal | None:
    """Who sends a request, None where nobody needs to say; refuses (401) whom it does not know."""
    if authenticate is None:
        return None
    principal = await authenticate(request)
    if principal is None:
        raise RefusedError(
            401, "UNAUTHENTICATED", "A valid credential is needed.", headers=CHALLENGE
        )
    return principal


def require_access(principal: Principal | None, agent: str) -> None:
    """Refuse (403) a principal that may not use the agent, whether there is one or not."""
    if principal is not None and principal.agents and agent not in principal.agents:
        raise RefusedError(403, "FORBIDDEN", "This agent is not open to you.")
