"""The wire: one Struct for each event, message and input of AG-UI.

Importing it hands the event classes and the encoder to the compiled core.
"""

from gateway.protocol.base import UNSET
from gateway.protocol.encoder import encode_json, encode_lines
from gateway.protocol.events import EVENT_CLASSES, Event
from gateway.protocol.outcomes import InterruptOutcome
from gateway_native.binding import bind


def _accept(event: Event) -> None:
    """Values are not checked yet."""


bind(UNSET, list(EVENT_CLASSES), InterruptOutcome, encode_json, encode_lines, _accept)
