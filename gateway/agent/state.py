"""The typed state of a run, and how its changes reach the client.

The first publication is a snapshot, since the client may hold anything; later ones are a JSON Patch
when its bytes are fewer than those of the whole state. What the client holds (the baseline) moves
only when a state event has really gone out, and it follows state events that were emitted by hand
or made by a transformer, so that a delta always applies at the client.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from gateway.errors import StateError
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import Event, StateDelta, StateSnapshot
from gateway.protocol.json_patch import apply_patch, diff
from gateway.protocol.values import decode_value, encode_value
from gateway_native.stream import RunStream

State = TypeVar("State")


def decode_state(value: Any, state_type: Any) -> Any:
    """The input's state as a `state_type`; absent, null and `{}` give the type's default.

    Types: msgspec Struct, dataclass, TypedDict, dict, or a pydantic model; None takes any JSON.
    Raises StateError naming the member that does not fit.
    """
    if state_type is None:
        return {} if value is UNSET or value is None else value
    if value is UNSET or value is None or value == {}:
        return state_type()
    try:
        if hasattr(state_type, "model_validate"):
            return state_type.model_validate(value, strict=True)
        return msgspec.convert(value, state_type)
    except ValueError as error:
        raise StateError(f"the state of the input does not fit: {error}") from error


def document_of(state: Any) -> Any:
    """The state as plain JSON values, sharing nothing that the agent may change."""
    if hasattr(state, "model_dump"):
        return state.model_dump(mode="json", by_alias=True)
    return decode_value(encode_value(state))


class StatePublisher(Generic[State]):
    """Holds the state of one run and publishes it."""

    __slots__ = ("_baseline", "_stream", "value")

    def __init__(self, stream: RunStream, value: State) -> None:
        self._stream = stream
        self._baseline: Any | UnsetType = UNSET
        self.value = value

    def publish(self) -> None:
        """Emit what changed since the client last heard of the state: at most one event."""
        document = document_of(self.value)
        event = self._change_to(document)
        if event is not None:
            self._stream.emit(event)

    def observe(self, event: Event) -> None:
        """Follow a state event that has gone out, whoever made it."""
        if isinstance(event, StateSnapshot):
            self._baseline = document_of(event.snapshot)
        elif isinstance(event, StateDelta) and self._baseline is not UNSET:
            self._baseline = apply_patch(self._baseline, document_of(event.delta))

    def _change_to(self, document: Any) -> Event | None:
        if self._baseline is UNSET:
            return StateSnapshot(document)
        patch = diff(self._baseline, document)
        if not patch:
            return None
        if len(encode_value(patch)) < len(encode_value(document)):
            return StateDelta(patch)
        return StateSnapshot(document)
