"""What a run knows of the request that started it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Request(Struct, frozen=True, kw_only=True):
    """`headers` have lower-case names; `principal` is who was authenticated, None if nobody was.

    `id` names the request in logs and traces, "" for a run that no request started.
    """

    headers: Mapping[str, str] = NO_HEADERS
    id: str = ""
    principal: Any = None
