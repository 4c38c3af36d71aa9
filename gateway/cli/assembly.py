"""From a configuration to the gateway it describes."""

from collections.abc import Mapping
from typing import Any

from gateway.agent import Options
from gateway.agent.agent import AnyAgent
from gateway.cli.configuration import DEMO, Configuration
from gateway.cli.kinds import resolve
from gateway.errors import ConfigurationError
from gateway.server import Gateway


def assemble(configuration: Configuration) -> Gateway:
    """Load the agents and make the gateway.

    Raises ConfigurationError for what names no agents, and whatever importing a module raises.
    """
    agents = _agents(configuration)
    target = configuration.target or ("" if agents else DEMO)
    found = _resolved(target) if target else {}
    if isinstance(found, Gateway):
        return _only(found, configuration)
    agents = {**found, **agents}
    options = Options(
        limits=configuration.limits,
        echo_input=configuration.echo_input,
        expose_errors=configuration.expose_errors,
    )
    try:
        return Gateway(agents, configuration, options)
    except (TypeError, ValueError) as error:
        raise ConfigurationError("agents", "", str(error)) from error


def _resolved(target: str) -> Mapping[str, AnyAgent] | Gateway:
    try:
        found: Any = resolve(target)
    except ValueError as error:
        raise ConfigurationError("target", "", str(error)) from error
    if isinstance(found, Gateway | Mapping):
        return found
    reason = f"{target} is a {type(found).__name__}: expected agents by name or a Gateway"
    raise ConfigurationError("target", "", reason)


def _only(found: Gateway, configuration: Configuration) -> Gateway:
    if configuration.agents:
        reason = f"{configuration.target} is a Gateway, which has agents already"
        raise ConfigurationError("agents", "", reason)
    return found


def _agents(configuration: Configuration) -> dict[str, AnyAgent]:
    agents: dict[str, AnyAgent] = {}
    for name, kind in configuration.agents.items():
        try:
            agent = kind.load()
        except ValueError as error:
            raise ConfigurationError(f"agents.{name}", "", str(error)) from error
        if agent is not None:
            agents[name] = agent
    return agents
