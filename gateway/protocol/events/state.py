"""State and messages, whole or as changes (spec: `docs/spec/1.1/events/state.mdx`)."""

from typing import Any

from gateway.protocol.events.base import Attributable, Event
from gateway.protocol.messages import Message
from gateway.protocol.patches import JsonPatch


class StateSnapshot(Attributable, frozen=True, tag="STATE_SNAPSHOT"):
    """Replaces the state by any JSON value, null included."""

    snapshot: Any


class StateDelta(Attributable, frozen=True, tag="STATE_DELTA"):
    """Changes the state by a JSON Patch, applied whole or not at all."""

    delta: JsonPatch


class MessagesSnapshot(Event, frozen=True, tag="MESSAGES_SNAPSHOT"):
    """Restates the messages of the thread; reconciled by id."""

    messages: list[Message]
