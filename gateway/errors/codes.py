"""The codes of RUN_ERROR."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AGENT_ERROR": "the agent raised; the text goes to the log only",
        "BUDGET_EXCEEDED": "the run used up the tokens or the money it may use",
        "CANCELLED": "the agent gave up, as something that it waited for was cancelled",
        "CONTENT_FILTER": "a provider refused the content",
        "CONTEXT_LENGTH": "the conversation is too long for the model",
        "DISCONNECTED": "the client left; seen in logs only",
        "INTERNAL_ERROR": "a fault of the gateway itself",
        "INVALID_REQUEST": "the input cannot be worked with, as an answer that fits no question",
        "LIMIT_EXCEEDED": "a bound on the events or bytes of a run",
        "MAX_STEPS": "the agent went through as many steps as it may",
        "OVERLOADED": "there is no room for another run now",
        "OWNER_LOST": "the process that held the run is gone",
        "PROTOCOL": "an event or an outcome holds a value that the protocol rejects",
        "PROTOCOL_VIOLATION": "an event breaks a rule of order, or a delta applies to nothing",
        "PROVIDER_AUTH": "a provider did not accept the credentials",
        "PROVIDER_ERROR": "a provider failed",
        "PROVIDER_TIMEOUT": "a provider did not answer in time",
        "PROVIDER_TRUNCATED": "a provider's answer broke off",
        "RATE_LIMITED": "too many requests, here or at a provider",
        "SERIALIZATION": "state, arguments or results that cannot be decoded or encoded",
        "SHUTTING_DOWN": "the process goes down",
        "TIMEOUT": "a time limit of the run",
        "TRANSFORMER_ERROR": "a transformer raised or broke a rule",
        "UPSTREAM_LIMIT": "a remote agent sent more than it may",
        "UPSTREAM_NO_STREAM": "a remote agent's server answered with something else than a stream",
        "UPSTREAM_STATUS": "a remote agent's server answered with an HTTP error",
        "UPSTREAM_TIMEOUT": "a remote agent was silent for too long",
        "UPSTREAM_TRUNCATED": "a remote agent's stream broke off",
        "UPSTREAM_UNAVAILABLE": "every server of a remote agent has failed lately",
        "UPSTREAM_UNREACHABLE": "no connection to a remote agent could be made",
        "UPSTREAM_VIOLATION": "a remote agent broke a rule of the protocol",
    }
)
"""Every code that the gateway puts on a RUN_ERROR, with what it means."""
