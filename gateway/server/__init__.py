"""The HTTP side: an ASGI application that answers `RunAgentInput` with a stream of events."""

from gateway.server.app import Gateway
from gateway.server.endpoint import Endpoint, endpoint
from gateway.server.settings import Settings

__all__ = ["Endpoint", "Gateway", "Settings", "endpoint"]
