"""The wire: one Struct for each event, message and input of AG-UI.

Importing it hands the event classes, the encoder and the check of values to the compiled core.
"""

from msgspec.structs import astuple

from gateway.protocol.base import UNSET
from gateway.protocol.checks import check_event
from gateway.protocol.encoder import encode_json, encode_lines
from gateway.protocol.events import EVENT_CLASSES
from gateway.protocol.outcomes import InterruptOutcome
from gateway.protocol.values import decode_value
from gateway_native.binding import bind

bind(
    UNSET,
    list(EVENT_CLASSES),
    InterruptOutcome,
    encode_json,
    decode_value,
    encode_lines,
    check_event,
    astuple,
)
