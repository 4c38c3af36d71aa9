"""Which header fields a request to another server carries.

Configured fields win. A field of the inbound request passes only if it is on the allow-list, and
those that belong to one connection or to this client itself never do (RFC 9110, section 7.6.1).
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Fields that mean one connection."""

OWN: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
    }
)
"""Fields that the client writes itself."""

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class HeaderPolicy:
    """The fields of all requests to one agent; raises ValueError for what can be none.

    `configured` are sent with each request; those that the client writes itself are left out.
    `allow` names the fields of the inbound request that are passed on, in any case.
    """

    def __init__(
        self, configured: Mapping[str, str] | None = None, allow: Iterable[str] = ()
    ) -> None:
        self._configured = _checked(configured or {})
        self._allowed = tuple(name.lower() for name in allow)
        for name in self._allowed:
            if not _NAME.fullmatch(name) or name in HOP_BY_HOP or name in OWN:
                raise ValueError(f"the header field {name!r} cannot be passed on")

    def outgoing(self, inbound: Mapping[str, str] | None = None) -> dict[str, str]:
        """The fields for a request; `inbound` has lower-case names."""
        inbound = inbound or {}
        bound = {name.strip().lower() for name in inbound.get("connection", "").split(",")}
        fields = {
            name: inbound[name]
            for name in self._allowed
            if name in inbound and name not in bound and _VALUE.fullmatch(inbound[name])
        }
        return {**fields, **self._configured}


def _checked(configured: Mapping[str, str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in configured.items():
        lower = name.lower()
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header field")
        if not _VALUE.fullmatch(value):
            raise ValueError(f"the value of the header field {name!r} holds control characters")
        if lower in HOP_BY_HOP:
            raise ValueError(f"the header field {name!r} belongs to a connection: leave it out")
        if lower not in OWN:
            fields[lower] = value
    return fields
