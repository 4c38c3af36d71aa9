"""The typed state of a run, and how its changes reach the client.

The first publication is a snapshot, since the client may hold anything; later ones are a JSON Patch
when its bytes are fewer than those of the whole state. What the client holds (the baseline) moves
only when a state event has really gone out, and it follows state events that were emitted by hand
or made by a transformer, so that a delta always applies at the client.

Before any of them the client holds the state of the input (spec: events/state). A delta that an
agent emits by hand and that does not apply raises PatchError and is not sent, since clients fail on
it or skip it. A transformer's delta that does not apply cannot be held back; the next publication
is then a snapshot, which puts the client right.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from gateway.agent.decoding import decode_as
from gateway.agent.sink import Sink
from gateway.errors import DecodeError, PatchError, StateError
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, StateDelta, StateSnapshot
from gateway.protocol.json_patch import apply_patch, diff
from gateway.protocol.values import decode_value, encode_value
from gateway.protocol.wire_order import to_wire

State = TypeVar("State")


def decode_state(value: Any, state_type: Any) -> Any:
    """The input's state as a `state_type`; absent, null and `{}` give the type's default.

    Types: msgspec Struct, dataclass, TypedDict, dict, or a pydantic model; None takes any JSON. The
    result shares nothing with `value`. Raises StateError naming the member that does not fit.
    """
    absent = value is UNSET or value is None or value == {}
    if state_type is None:
        return {} if absent else msgspec.to_builtins(value)
    if absent:
        return _default(state_type)
    try:
        return decode_as(encode_value(value), state_type)
    except DecodeError as error:
        raise StateError(f"the state of the input does not fit: {error.reason}") from error


def _default(state_type: Any) -> Any:
    try:
        return state_type()
    except (TypeError, ValueError) as error:
        name = getattr(state_type, "__name__", str(state_type))
        reason = f"the input has no state, and {name} has no default: {error}"
        raise StateError(reason) from error


class Document:
    """A state as plain JSON values that nobody else holds, and the number of its bytes."""

    __slots__ = ("size", "value")

    def __init__(self, state: Any) -> None:
        if hasattr(state, "model_dump_json"):
            text: bytes = state.model_dump_json(by_alias=True).encode()
        else:
            text = encode_value(state)
        self.size = len(text)
        self.value: Any = decode_value(text)


class StatePublisher(Generic[State]):
    """Holds the state of one run and publishes it; `held` is what the input said of it."""

    __slots__ = ("_baseline", "_known", "_own", "_own_document", "_stream", "value")

    def __init__(self, stream: Sink, value: State, held: Any = UNSET) -> None:
        self._stream = stream
        self._baseline: Any = {} if held is UNSET else held
        self._known = False
        self._own: Event | None = None
        self._own_document: Any = None
        self.value = value

    def publish(self, snapshot: bool = False) -> None:
        """Emit what changed since the client last heard of the state: at most one event."""
        document = Document(self.value)
        if snapshot or not self._known:
            self._emit(StateSnapshot(document.value), document)
            return
        patch = diff(self._baseline, document.value)
        if not patch:
            return
        smaller = len(encode_value(patch)) < document.size
        self._emit(StateDelta(patch) if smaller else StateSnapshot(document.value), document)

    def require_applicable(self, event: Event) -> None:
        """Raise PatchError for a delta that does not apply to what the client holds."""
        if isinstance(event, StateDelta) and isinstance(event.delta, list):
            apply_patch(self._baseline, event.delta)

    def observe(self, event: Event) -> None:
        """Follow a state event that has gone out, whoever made it."""
        if event is self._own:
            self._baseline = self._own_document
            self._known = True
        elif isinstance(event, StateSnapshot):
            self._baseline = decode_value(encode_value(event.snapshot))
            self._known = True
        elif isinstance(event, StateDelta):
            self._follow(event)

    def _follow(self, event: StateDelta) -> None:
        operations = decode_value(encode_value(to_wire(event.delta)))
        try:
            self._baseline = apply_patch(self._baseline, operations)
        except PatchError:
            self._known = False

    def _emit(self, event: Event, document: Document) -> None:
        self._own = event
        self._own_document = document.value
        try:
            self._stream.emit(event)
        finally:
            self._own = self._own_document = None
