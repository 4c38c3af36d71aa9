"""One agent behind HTTP: a POST of `RunAgentInput` is answered with the stream of a run.

Spec: `docs/spec/1.1/basic/transports/http-sse.mdx`.
"""

from typing import Final

from msgspec.structs import replace

from gateway.agent import Options, Request, Run
from gateway.agent.agent import AnyAgent
from gateway.errors import RefusedError
from gateway.server.application import Application, Stream
from gateway.server.asgi import Scope
from gateway.server.lifespans import AgentLifespan
from gateway.server.negotiation import negotiate
from gateway.server.request import Body, fields, require_json, run_input
from gateway.server.runs import Runs
from gateway.server.settings import Settings

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
    """

    def __init__(
        self,
        agent: AnyAgent,
        settings: Settings = Settings(),
        options: Options = Options(),
        *,
        runs: Runs | None = None,
    ) -> None:
        self.agent = agent
        self.options = options
        self.agent_lifespan = AgentLifespan(agent)
        super().__init__(settings, Runs() if runs is None else runs, [self.agent_lifespan])

    async def answer(self, scope: Scope, body: Body) -> Stream:
        """A run for a POST of JSON; refusals come in the order 405, 503, 406, 415, 413, 400."""
        require_method(scope, POST)
        if self.runs.closing:
            raise RefusedError(503, "SHUTTING_DOWN", "The gateway is shutting down.")
        headers = fields(scope)
        encoding = negotiate(headers.get("accept"))
        require_json(headers.get("content-type"))
        content = await body.read(self.settings.max_body, headers.get("content-length"))
        input = run_input(content)
        await self.agent_lifespan.enter()
        options = replace(self.options, request=Request(headers=headers), encoding=encoding)
        return Stream(Run(self.agent, input, options), encoding)


def endpoint(
    agent: AnyAgent, settings: Settings = Settings(), options: Options = Options()
) -> Endpoint:
    """An ASGI application for a single agent, to be mounted wherever it shall be reached."""
    return Endpoint(agent, settings, options)
