"""The commands that only look: `check-config`, `routes` and `schema`."""

import os
import sys
import traceback
from typing import Any, Final

import msgspec

from gateway.cli.assembly import assemble
from gateway.cli.configuration import Configuration, Sources
from gateway.errors import ConfigurationError
from gateway.server import Gateway
from gateway.server.secret import Secret

REFERENCE: Final = {
    "type": "object",
    "description": "The value of an environment variable, or the content of a file.",
    "properties": {"env": {"type": "string"}, "file": {"type": "string"}},
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}


def check_config(sources: Sources) -> int:
    """Read the configuration and load its agents; raises ConfigurationError, or gives 0 or 1."""
    gateway = _loaded(sources.read(os.environ))
    if gateway is None:
        return 1
    name = sources.name(os.environ) or "no configuration file"
    print(f"The configuration is valid ({name}); agents: {', '.join(gateway.agents) or 'none'}.")
    return 0


def routes(sources: Sources) -> int:
    """Print method and path of all that would be answered."""
    configuration = sources.read(os.environ)
    gateway = _loaded(configuration)
    if gateway is None:
        return 1
    for method, path in gateway.routes():
        print(f"{method:6}{configuration.server.root_path}{path}")
    return 0


def schema() -> int:
    """Print the JSON Schema of the configuration file."""
    print(msgspec.json.format(msgspec.json.encode(editor_schema()), indent=2).decode())
    return 0


def editor_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the configuration file."""
    _, components = msgspec.json.schema_components(
        [Configuration], schema_hook=_schema_of, ref_template="#/$defs/{name}"
    )
    for definition in components.values():
        _close(definition)
    _allow_short_agents(components["Configuration"])
    components["Reference"] = REFERENCE
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gateway.toml",
        "$ref": "#/$defs/Configuration",
        "$defs": dict(sorted(components.items())),
    }


def _schema_of(kind: type) -> dict[str, Any]:
    if kind is Secret:
        return {"$ref": "#/$defs/Reference"}
    raise NotImplementedError


def _close(definition: dict[str, Any]) -> None:
    """Refuse unknown members, allow `kind` to be left out, and a reference for any string."""
    if "properties" not in definition:
        return
    definition["additionalProperties"] = False
    required = [name for name in definition.get("required", ()) if name != "kind"]
    definition.pop("required", None)
    if required:
        definition["required"] = required
    for name, member in definition["properties"].items():
        if member.get("type") == "string":
            definition["properties"][name] = {"anyOf": [member, {"$ref": "#/$defs/Reference"}]}


def _allow_short_agents(configuration: dict[str, Any]) -> None:
    agents = configuration["properties"]["agents"]
    short = {"type": "string", "description": "module:attribute"}
    agents["additionalProperties"] = {"anyOf": [short, agents["additionalProperties"]]}


def _loaded(configuration: Configuration) -> Gateway | None:
    try:
        return assemble(configuration)
    except ConfigurationError:
        raise
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return None
