"""`Gateway`: all agents behind one ASGI application.

    POST /agents/{name}   RunAgentInput in, a stream of events out
    GET  /agents          names, descriptions and capabilities
    GET  /healthz         200 as long as the process answers
    GET  /readyz          200 while runs are accepted, 503 while the process goes down

It may be mounted below any path, or served as it is: `granian --interface asgi module:gateway`.
"""

from collections.abc import Mapping
from typing import Any, Final

from gateway.agent import Agents, Options
from gateway.agent.agent import AnyAgent, capabilities_of, description_of
from gateway.errors import RefusedError
from gateway.server.application import Answer, Application
from gateway.server.asgi import Scope
from gateway.server.endpoint import Endpoint, require_method
from gateway.server.request import Body, path
from gateway.server.response import Response, document
from gateway.server.runs import Runs
from gateway.server.settings import Settings

READ: Final = ("GET", "HEAD")
AGENTS_PATH: Final = "/agents"
HEALTH_PATH: Final = "/healthz"
READY_PATH: Final = "/readyz"


class Gateway(Application):
    """Serves agents by name; immutable and shared by all requests.

    `options` is the recipe of the runs of every agent. Raises what `Agents` raises for names that
    cannot stand in a path and for values that are no agents.
    """

    def __init__(
        self,
        agents: Mapping[str, AnyAgent],
        settings: Settings = Settings(),
        options: Options = Options(),
    ) -> None:
        self.agents = agents if isinstance(agents, Agents) else Agents(agents)
        runs = Runs()
        self._endpoints = {
            name: Endpoint(agent, settings, options, runs=runs)
            for name, agent in self.agents.items()
        }
        self._index = document({"agents": [_entry(*item) for item in self.agents.items()]})
        super().__init__(settings, runs, [each.agent_lifespan for each in self._endpoints.values()])

    async def answer(self, scope: Scope, body: Body) -> Answer:
        """The answer of the resource at the path of the request."""
        where = path(scope)
        if where == HEALTH_PATH:
            require_method(scope, READ)
            return document({"status": "ok"})
        if where == READY_PATH:
            require_method(scope, READ)
            return self._readiness()
        if where == AGENTS_PATH:
            require_method(scope, READ)
            return self._index
        parent, _, name = where.rpartition("/")
        if parent == AGENTS_PATH and name in self._endpoints:
            return await self._endpoints[name].answer(scope, body)
        raise RefusedError(404, "NOT_FOUND", f"There is nothing at {where[:200]}.")

    def routes(self) -> list[tuple[str, str]]:
        """Method and path of all that is answered, agents by name."""
        read = [AGENTS_PATH, HEALTH_PATH, READY_PATH]
        runs = [("POST", f"{AGENTS_PATH}/{name}") for name in self.agents]
        return runs + [("GET", path) for path in read]

    def _readiness(self) -> Response:
        if self.runs.closing:
            return document({"status": "shutting-down"}, 503)
        return document({"status": "ready"})


def _entry(name: str, agent: AnyAgent) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name}
    if description := description_of(agent):
        entry["description"] = description
    if (capabilities := capabilities_of(agent)) is not None:
        entry["capabilities"] = capabilities
    return entry
