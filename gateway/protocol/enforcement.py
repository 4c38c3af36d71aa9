"""Enforcement: what is unknown is stripped with a notice, what is malformed fails the stream.

The second stage of the consumer pipeline, after the compatibility boundary and before the expansion
of chunks. It turns plain JSON into our Structs; the verdict on an event does not depend on the
encoding in which it came. Spec: `docs/spec/1.1/basic/processing.mdx`.
"""

from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from gateway.errors import MalformedError
from gateway.protocol.events import EVENTS, Event
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.schema import SCHEMAS, Version
from gateway.protocol.shapes import GONE, Shape, Walk, describe
from gateway.protocol.strict import Twins

TWINS: Final[dict[Version, Twins]] = {v: Twins(schema) for v, schema in SCHEMAS.items()}

S = TypeVar("S", bound=Struct)


def enforce(event: Any, warn: Warn = ignore, version: Version = "1.0") -> Event | None:
    """The event that a JSON value describes, without what version `version` does not know.

    None for an event of an unknown type, with a notice that names the type. One notice for each
    path removed. Raises MalformedError for a described member that holds something else.
    """
    name = event.get("type") if type(event) is dict else None
    if type(name) is not str or name not in EVENTS:
        _drop(event, name, warn)
        return None
    try:
        msgspec.convert(event, TWINS[version].events[name])
    except msgspec.ValidationError:
        event = strip(event, SCHEMAS[version].events[name], warn)
    return msgspec.convert(event, EVENTS[name])


def _drop(event: Any, name: object, warn: Warn) -> None:
    if event is None:
        raise MalformedError("", "an event", "null")
    what = f"of unknown type {name!r:.80}" if type(event) is dict else f"that is {describe(event)}"
    warn(Notice("unknown-event", str(name)[:80], f"dropped an event {what}"))


def strip(value: Any, shape: Shape, warn: Warn = ignore, lenient: bool = False) -> Any:
    """A JSON value without what `shape` does not declare; the value itself is left alone.

    One notice for each path removed. With `lenient` a null in an optional place is absent. Raises
    MalformedError for a known member that is malformed, and for a value not recognised at all.
    """
    walk = Walk(lenient)
    clean = shape.read(value, "", walk)
    if clean is GONE:
        raise shape.refuse(value, "")
    for pointer in walk.removed:
        warn(Notice("unknown-member", pointer, f"removed unrecognised material at {pointer!r}"))
    return clean


def read(value: Any, kind: type[S], warn: Warn = ignore, version: Version = "1.0") -> S:
    """The Struct of the type `kind` that a JSON value describes, for any type but events."""
    return msgspec.convert(strip(value, SCHEMAS[version].records[kind], warn), kind)
