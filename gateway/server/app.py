"""`Gateway`: all agents behind one ASGI application.

    POST /agents/{name}                     RunAgentInput in, a stream of events out
    POST /agents/{name}/runs/{run}/cancel   stops a run that is open in this process
    GET  /agents                            names, descriptions and capabilities
    GET  /openapi.json                      all of this for machines
    GET  /metrics                           counters for Prometheus, if the extra is installed
    GET  /healthz                           200 as long as the process answers
    GET  /readyz                            200 while runs are accepted, 503 while it goes down

Who may not use an agent sees neither it nor its runs.

It may be mounted below any path, or served as it is: `granian --interface asgi module:gateway`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from gateway.agent import Agents, Options, Request
from gateway.agent.agent import AnyAgent, capabilities_of, description_of
from gateway.errors import RefusedError
from gateway.server.application import Answer, Application
from gateway.server.asgi import Scope
from gateway.server.endpoint import POST, Endpoint, caller, require_method
from gateway.server.identity import Authenticate, Principal, identify, require_access
from gateway.server.openapi import describe
from gateway.server.request import Body, path
from gateway.server.request_id import request_of
from gateway.server.response import Response, document
from gateway.server.runs import Runs
from gateway.server.settings import Settings

READ: Final = ("GET", "HEAD")
AGENTS_PATH: Final = "/agents"
HEALTH_PATH: Final = "/healthz"
METRICS_PATH: Final = "/metrics"
READY_PATH: Final = "/readyz"
OPENAPI_PATH: Final = "/openapi.json"
CANCEL: Final = re.compile(r"/agents/([^/]+)/runs/(.+)/cancel", re.DOTALL)


class Gateway(Application):
    """Serves agents by name; immutable and shared by all requests.

    `options` is the recipe of the runs of every agent; `authenticate` takes the place of what the
    settings say on identity. Raises what `Agents` raises for names that cannot stand in a path and
    for values that are no agents, and ValueError for settings of an agent that is not there.
    """

    def __init__(
        self,
        agents: Mapping[str, AnyAgent],
        settings: Settings = Settings(),
        options: Options = Options(),
        authenticate: Authenticate | None = None,
    ) -> None:
        self.agents = agents if isinstance(agents, Agents) else Agents(agents)
        _require_known(self.agents, settings)
        super().__init__(settings, Runs(), [], authenticate)
        self._endpoints = {
            name: Endpoint(
                agent,
                settings,
                options,
                self.authenticate,
                name=name,
                runs=self.runs,
                admission=self.admission,
                watch=self.watch,
            )
            for name, agent in self.agents.items()
        }
        self._lifespans = [each.agent_lifespan for each in self._endpoints.values()]
        self._entries = {name: _entry(name, agent) for name, agent in self.agents.items()}
        self._description = document(describe(list(self.agents)))

    async def answer(self, scope: Scope, body: Body) -> Answer:
        """The answer of the resource at the path of the request."""
        where = path(scope)
        if where == HEALTH_PATH:
            require_method(scope, READ)
            return document({"status": "ok"})
        if where == READY_PATH:
            require_method(scope, READ)
            return self._readiness()
        request = request_of(scope)
        if where == METRICS_PATH and self.watch.measures:
            require_method(scope, READ)
            return self.watch.metrics(request.headers)
        if where in (AGENTS_PATH, OPENAPI_PATH):
            return await self._read(scope, request, where)
        if found := CANCEL.fullmatch(where):
            return await self._cancel(scope, request, found[1], found[2])
        self.require_room()
        principal = await identify(self.authenticate, request)
        parent, _, name = where.rpartition("/")
        if parent == AGENTS_PATH:
            require_access(principal, name)
            if name in self._endpoints:
                request = replace(request, principal=principal)
                return await self._endpoints[name].admit(scope, body, request)
        raise RefusedError(404, "NOT_FOUND", f"There is nothing at {where[:200]}.")

    async def _read(self, scope: Scope, request: Request, where: str) -> Response:
        principal = await identify(self.authenticate, request)
        require_method(scope, READ)
        self._count(scope, principal)
        if where == OPENAPI_PATH:
            return self._description
        allowed = principal.agents if principal is not None else ()
        shown = [entry for name, entry in self._entries.items() if not allowed or name in allowed]
        return document({"agents": shown})

    async def _cancel(self, scope: Scope, request: Request, name: str, run_id: str) -> Response:
        """Stop a run; one of somebody else is as unknown as one that never was."""
        principal = await identify(self.authenticate, request)
        require_access(principal, name)
        if name not in self._endpoints:
            raise RefusedError(404, "NOT_FOUND", "There is no such agent.")
        require_method(scope, POST)
        self._count(scope, principal)
        if not self.runs.cancel(name, run_id, None if principal is None else principal.id):
            raise RefusedError(404, "NOT_FOUND", "There is no such run here.")
        return document({"runId": run_id, "status": "cancelling"}, 202)

    def _count(self, scope: Scope, principal: Principal | None) -> None:
        self.admission.count(caller(scope, None if principal is None else principal.id))

    def routes(self) -> list[tuple[str, str]]:
        """Method and path of all that is answered, agents by name."""
        runs = [f"{AGENTS_PATH}/{name}" for name in self.agents]
        posts = [path for run in runs for path in (run, f"{run}/runs/{{run}}/cancel")]
        reads = [AGENTS_PATH, OPENAPI_PATH, HEALTH_PATH, READY_PATH]
        if self.watch.measures:
            reads.append(METRICS_PATH)
        return [("POST", path) for path in posts] + [("GET", path) for path in reads]

    def _readiness(self) -> Response:
        if self.runs.closing:
            return document({"status": "shutting-down"}, 503)
        return document({"status": "ready"})


def _require_known(agents: Agents, settings: Settings) -> None:
    unknown = sorted(set(settings.agents) - set(agents))
    if unknown:
        raise ValueError(f"agents.{unknown[0]}: there is no such agent")


def _entry(name: str, agent: AnyAgent) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name}
    if description := description_of(agent):
        entry["description"] = description
    if (capabilities := capabilities_of(agent)) is not None:
        entry["capabilities"] = capabilities
    return entry
