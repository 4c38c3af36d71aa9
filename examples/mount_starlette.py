"""The gateway below /agui of a Starlette application: `granian --interface asgi …:app`."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from gateway.demo import AGENTS
from gateway.server import Gateway

gateway = Gateway(AGENTS)


async def home(request: Request) -> PlainTextResponse:
    return PlainTextResponse("home")


app = Starlette(routes=[Route("/", home), Mount("/agui", gateway)], lifespan=gateway.lifespan)
