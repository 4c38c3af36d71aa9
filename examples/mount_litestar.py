"""The gateway below /agui of a Litestar application: `granian --interface asgi …:app`."""

from litestar import Litestar, asgi, get

from gateway.demo import AGENTS
from gateway.server import Gateway

gateway = Gateway(AGENTS)


@get("/")
async def home() -> str:
    return "home"


mounted = asgi("/agui", is_mount=True, copy_scope=True)(gateway)
app = Litestar([home, mounted], lifespan=[gateway.lifespan])
