"""Remote agents for a gateway process; the environment says where their upstreams are."""

import os

from gateway.agent import Agents
from gateway.client import RemoteAgent

PYTHON = os.environ.get("PYTHON_UPSTREAM", "http://127.0.0.1:1")
MOCK = os.environ.get("MOCK_UPSTREAM", "http://127.0.0.1:1")

AGENTS = Agents(
    {
        "tour": RemoteAgent(f"{PYTHON}/encoder/tour"),
        "failing": RemoteAgent(f"{PYTHON}/encoder/failing"),
        "pydantic": RemoteAgent(f"{PYTHON}/pydantic"),
        "mock": RemoteAgent(f"{MOCK}/", ids="rewrite"),
    }
)
