"""Runs on other AG-UI servers: a client, sessions, and remote agents."""

import gateway.protocol  # noqa: F401 - binds the core
from gateway.agent.outgoing import Call
from gateway.client.bounds import Bounds
from gateway.client.client import Client
from gateway.client.facade import SyncClient, SyncSession
from gateway.client.headers import HeaderPolicy
from gateway.client.http import HttpTransport
from gateway.client.remote import RemoteAgent
from gateway.client.session import Session
from gateway.client.transport import AgentTransport, Incoming, RecordedTransport, Transport
from gateway.client.updates import (
    ActivityChanged,
    CustomReceived,
    Ended,
    MessagesChanged,
    ReasoningChanged,
    StateChanged,
    StepChanged,
    TextChanged,
    ToolAnswered,
    ToolCallReady,
    Update,
)
from gateway.client.upstream import Breaker

__all__ = [
    "ActivityChanged",
    "AgentTransport",
    "Bounds",
    "Breaker",
    "Call",
    "Client",
    "CustomReceived",
    "Ended",
    "HeaderPolicy",
    "HttpTransport",
    "Incoming",
    "MessagesChanged",
    "ReasoningChanged",
    "RecordedTransport",
    "RemoteAgent",
    "Session",
    "StateChanged",
    "StepChanged",
    "SyncClient",
    "SyncSession",
    "TextChanged",
    "ToolAnswered",
    "ToolCallReady",
    "Transport",
    "Update",
]
