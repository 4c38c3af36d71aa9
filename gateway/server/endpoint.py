"""One agent behind HTTP: a POST of `RunAgentInput` is answered with the stream of a run.

Refusals come in one order, so that nobody learns from an answer what is not theirs to know, and
nothing costly happens for a request that will be refused: 503 (the process goes down, or is full),
401, 403, (404), 405, 429, 406, 415, 413, 400.

Spec: `docs/spec/1.1/basic/transports/http-sse.mdx`.
"""

from typing import Final

from msgspec.structs import replace

from gateway.agent import Options, Request, Run
from gateway.agent.agent import AnyAgent, end_hook_of
from gateway.errors import RefusedError
from gateway.server.admission import Admission, Place
from gateway.server.application import Application, Stream
from gateway.server.asgi import Scope
from gateway.server.identity import Authenticate, Principal, identify, require_access
from gateway.server.lifespans import AgentLifespan
from gateway.server.negotiation import Encoding, negotiate
from gateway.server.request import Body, require_json, run_input
from gateway.server.request_id import request_of
from gateway.server.runs import Runs, Session
from gateway.server.settings import AgentSettings, OnDisconnect, Settings
from gateway.server.transcript import Transcript
from gateway.server.watch import Watch

POST: Final = ("POST",)


def require_method(scope: Scope, allowed: tuple[str, ...]) -> None:
    """Refuse (405) a method that a resource does not know."""
    if scope["method"] in allowed:
        return
    allow = ", ".join(allowed)
    raise RefusedError(
        405,
        "METHOD_NOT_ALLOWED",
        f"This resource knows {allow} only.",
        headers=((b"allow", allow.encode()),),
    )


class Endpoint(Application):
    """An ASGI application for one agent; it looks at no path, whoever mounts it decides that.

    `options` is the recipe of its runs, `request` and `encoding` in it come from each request.
    `authenticate` takes the place of what the settings say on identity; `name` is the agent's in
    settings and permissions. Endpoints of one gateway share `runs` and `admission`.
    """

    def __init__(
        self,
        agent: AnyAgent,
        settings: Settings = Settings(),
        options: Options = Options(),
        authenticate: Authenticate | None = None,
        *,
        name: str = "agent",
        runs: Runs | None = None,
        admission: Admission | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.agent = agent
        self.name = name
        self.agent_lifespan = AgentLifespan(agent)
        own = settings.agents.get(name, AgentSettings())
        self._policy = _policy(agent, own)
        self._keep_alive = settings.keep_alive if own.keep_alive is None else own.keep_alive
        quota = settings.quotas.max_runs_per_agent
        self._max_runs = quota if own.max_runs is None else own.max_runs
        super().__init__(
            settings,
            Runs() if runs is None else runs,
            [self.agent_lifespan],
            authenticate,
            admission=admission,
            watch=watch,
        )
        observers = (*options.observers, *self.watch.observers)
        self.options = replace(options, observers=observers, name=name)

    async def answer(self, scope: Scope, body: Body) -> Stream:
        """A run for a POST of JSON, whatever the path."""
        request = request_of(scope)
        self.require_room()
        principal = await identify(self.authenticate, request)
        require_access(principal, self.name)
        return await self.admit(scope, body, replace(request, principal=principal))

    async def admit(self, scope: Scope, body: Body, request: Request) -> Stream:
        """A run for a request whose sender may use the agent; refuses with 405 and what follows."""
        require_method(scope, POST)
        principal: Principal | None = request.principal
        owner = None if principal is None else principal.id
        self.admission.count(caller(scope, owner))
        place = self.admission.enter(self.name, owner, self._max_runs)
        try:
            return await self._stream(scope, body, request, place, owner)
        except BaseException:
            place.leave()
            raise

    async def _stream(
        self, scope: Scope, body: Body, request: Request, place: Place, owner: str | None
    ) -> Stream:
        headers = request.headers
        encoding = negotiate(headers.get("accept"))
        require_json(headers.get("content-type"), headers.get("origin"))
        limits = self.settings
        content = await body.read(
            limits.max_body, headers.get("content-length"), limits.body_timeout
        )
        input = run_input(content, limits.max_messages, limits.max_depth)
        await self.agent_lifespan.enter()
        run = Run(self.agent, input, replace(self.options, request=request, encoding=encoding))
        return self._opened(Session(run, self.name, owner, place), encoding)

    def _opened(self, session: Session, encoding: Encoding) -> Stream:
        hook = end_hook_of(self.agent)
        if hook is not None:
            session.transcript = Transcript(session.run, encoding, hook)
        return Stream(
            session,
            encoding,
            keep_alive=self._keep_alive,
            cancels=self._policy == "cancel",
            hold=bool(getattr(self.agent, "may_refuse", False)),
        )


def caller(scope: Scope, owner: str | None) -> str:
    """Whose rate a request counts for: the principal's, or else the client address's."""
    if owner is not None:
        return f"principal {owner}"
    client = scope.get("client")
    return f"address {client[0] if client else ''}"


def _policy(agent: AnyAgent, own: AgentSettings) -> OnDisconnect:
    """Raises ValueError for an agent that asks for what does not exist."""
    if own.on_disconnect is not None:
        return own.on_disconnect
    policy: OnDisconnect = getattr(agent, "on_disconnect", "cancel")
    if policy in ("cancel", "continue"):
        return policy
    raise ValueError(f"on_disconnect must be 'cancel' or 'continue', not {policy!r}")


def endpoint(
    agent: AnyAgent,
    settings: Settings = Settings(),
    options: Options = Options(),
    authenticate: Authenticate | None = None,
) -> Endpoint:
    """An ASGI application for a single agent, to be mounted wherever it shall be reached."""
    return Endpoint(agent, settings, options, authenticate)
