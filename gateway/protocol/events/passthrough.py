"""Events that the protocol carries and does not interpret.

Spec: `docs/spec/1.1/events/passthrough.mdx`.
"""

from typing import Any

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events.base import Attributable


class Raw(Attributable, frozen=True, tag="RAW"):
    """An event of another system, null included; changes nothing that the protocol tracks."""

    event: Any
    source: str | UnsetType = UNSET


class Custom(Attributable, frozen=True, tag="CUSTOM"):
    """An event of the application's own, null included; prefix names with the application's."""

    name: str
    value: Any
