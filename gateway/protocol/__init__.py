"""The wire: one Struct for each event, message and input of AG-UI."""

import msgspec

from gateway.protocol.events import EVENT_CLASSES, Event
from gateway_native.binding import bind


def _check(event: Event) -> None:
    """Check nothing; the strict check takes its place."""


bind(msgspec.UNSET, EVENT_CLASSES, msgspec.json.Encoder().encode_lines, _check)
