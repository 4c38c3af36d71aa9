"""The wire: one Struct for each event, message and input of AG-UI."""

import msgspec

from gateway.protocol.base import UNSET
from gateway.protocol.events import EVENT_CLASSES
from gateway_native import binding

_LINES = msgspec.json.Encoder().encode_lines
binding.bind(UNSET, EVENT_CLASSES, _LINES, _LINES, lambda event: None)
