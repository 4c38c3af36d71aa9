"""`Agents`: the frozen registry of the agents behind one endpoint."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gateway.agent.agent import AnyAgent


class Agents(Mapping[str, AnyAgent]):
    """Agents by name, of any state types; shared by all requests and never changed.

    Raises ValueError for a name that cannot stand in a URL path segment, TypeError for a value
    that is no agent.
    """

    __slots__ = ("_agents",)

    def __init__(self, agents: Mapping[str, AnyAgent]) -> None:
        for name, agent in agents.items():
            if not name or any(c in name for c in "/?#% \t\r\n"):
                raise ValueError(f"agent name {name!r}: expected letters, digits, '-', '_' or '.'")
            if isinstance(agent, type) or not (
                callable(agent) or callable(getattr(agent, "run", None))
            ):
                raise TypeError(f"agent {name!r} is {agent!r}: expected an object with `run(ctx)`")
        self._agents = MappingProxyType(dict(agents))

    def __getitem__(self, name: str) -> AnyAgent:
        return self._agents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)

    def __repr__(self) -> str:
        return f"Agents({', '.join(self._agents)})"
