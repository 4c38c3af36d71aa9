"""The HTTP side: an ASGI application that answers `RunAgentInput` with a stream of events."""

from gateway.server.app import Gateway
from gateway.server.endpoint import Endpoint, endpoint
from gateway.server.identity import Authenticate, Principal, key_digest
from gateway.server.settings import (
    AgentSettings,
    ApiKey,
    Cors,
    Identity,
    Jwt,
    Quotas,
    Settings,
)

__all__ = [
    "AgentSettings",
    "ApiKey",
    "Authenticate",
    "Cors",
    "Endpoint",
    "Gateway",
    "Identity",
    "Jwt",
    "Principal",
    "Quotas",
    "Settings",
    "endpoint",
    "key_digest",
]
