"""Where agents come from: the kinds that `[agents.NAME]` of the configuration knows.

A kind is a struct with a tag and a `load` method, besides what can be set for any agent. Another
kind joins by standing in `AgentKind`.
"""

import importlib
import os
import sys
from typing import Any, Literal, TypeAlias

from msgspec import field

from gateway.agent.agent import AnyAgent
from gateway.server.secret import Secret
from gateway.server.settings import AgentSettings


class ImportAgent(AgentSettings, tag_field="kind", tag="import", frozen=True, kw_only=True):
    """An agent of a Python module: `path` is `module:attribute`.

    Without it, the settings are for the agent of that name in `target`.
    """

    path: str = ""

    def load(self) -> AnyAgent | None:
        """Import it; None if it stands for another one.

        Raises ValueError when there is no such thing, and what the module raises.
        """
        found: AnyAgent | None = resolve(self.path) if self.path else None
        return found


class UrlAgent(AgentSettings, tag_field="kind", tag="url", frozen=True, kw_only=True):
    """An agent of another AG-UI server, or of several that are asked in turn (extra `client`).

    The members are those of `gateway.client.RemoteAgent`: `headers` go with each request,
    `forward_headers` names the fields of inbound requests that may pass.
    """

    urls: tuple[str, ...]
    headers: dict[str, Secret] = field(default_factory=dict)
    forward_headers: tuple[str, ...] = ()
    spread: Literal["failover", "sticky"] = "failover"
    ids: Literal["check", "rewrite"] = "check"
    repair: Literal["strict", "close"] = "strict"
    attempts: int | None = None
    ceiling: str | None = None
    protobuf: bool = False
    description: str = ""

    def load(self) -> AnyAgent | None:
        """Make it; raises ValueError for what cannot be meant, ImportError without aiohttp."""
        from gateway.client import RemoteAgent  # an extra, needed by nobody else here

        return RemoteAgent(
            self.urls,
            headers=self.headers,
            forward_headers=self.forward_headers,
            spread=self.spread,
            ids=self.ids,
            repair=self.repair,
            attempts=self.attempts,
            ceiling=self.ceiling,
            protobuf=self.protobuf,
            description=self.description,
        )


AgentKind: TypeAlias = ImportAgent | UrlAgent


def resolve(target: str) -> Any:
    """What `module:attribute` names; modules are looked for in the working directory, too.

    Raises ValueError when it names nothing, and whatever importing the module raises.
    """
    module, colon, attribute = target.partition(":")
    if not (module and colon and attribute):
        raise ValueError(f"{target!r} names no agents: expected module:attribute")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name, None)
    if found is None:
        raise ValueError(f"module {module} has no {attribute}")
    return found
