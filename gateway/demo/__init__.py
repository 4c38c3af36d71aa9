"""Agents that need no key, account or other service; served until a configuration names others."""

from gateway.agent.registry import Agents
from gateway.demo.approve import Approve
from gateway.demo.echo import Echo
from gateway.demo.slow import Slow
from gateway.demo.tour import Tour
from gateway.demo.weather import Weather

AGENTS = Agents(
    {
        "echo": Echo(),
        "tour": Tour(),
        "approve": Approve(),
        "weather": Weather(),
        "slow": Slow(),
    }
)

__all__ = ["AGENTS"]
