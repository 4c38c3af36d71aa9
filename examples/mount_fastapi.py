"""The gateway below /agui of a FastAPI application: `granian --interface asgi …:app`."""

from fastapi import FastAPI

from gateway.demo import AGENTS
from gateway.server import Gateway

gateway = Gateway(AGENTS)
app = FastAPI(lifespan=gateway.lifespan)


@app.get("/")
async def home() -> str:
    return "home"


app.mount("/agui", gateway)
