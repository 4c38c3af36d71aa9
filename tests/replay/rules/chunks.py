"""Chunks to start, content and end events, one event at a time."""

import json
from typing import Any

import msgspec

from gateway.errors import MalformedError, OrderingError
from gateway.protocol.boundary import Boundary
from gateway.protocol.enforcement import enforce
from gateway.protocol.events import Event
from gateway_native.chunks import ChunkExpander
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference


def check(row: Row) -> Verdict:
    events = [event for raw in row["events"] if (event := _unchanged(raw)) is not None]
    if len(events) < len(row["events"]):
        return NOT_APPLICABLE
    expander = ChunkExpander()
    expanded: list[Any] = []
    counts: list[int] = []
    refused_at = None
    for index, event in enumerate(events):
        try:
            out = expander.feed(event)
        except OrderingError:
            refused_at = index
            counts.append(0)
            break
        expanded += [_plain(one) for one in out]
        counts.append(len(out))
    ours = {"expanded": expanded, "emitted_per_event": counts, "error_index": refused_at}
    return difference(ours, {key: row[key] for key in ours})


def _unchanged(raw: Any) -> Event | None:
    """The event, unless enforcement refuses or changes it."""
    try:
        event = enforce(Boundary().feed(raw))
    except MalformedError:
        return None
    if event is None or difference(_plain(event), raw) is not None:
        return None
    return event


def _plain(event: Event) -> Any:
    return json.loads(msgspec.json.encode(event))
