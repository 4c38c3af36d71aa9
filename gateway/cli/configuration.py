"""The whole configuration of a served gateway, and reading it.

It comes from `gateway.toml` in the working directory (or the file that `--config` or
`AGUI_GATEWAY_CONFIG` names), from `AGUI_GATEWAY_*` variables and from the command line; what is
more special prevails.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from gateway.agent.limits import Limits
from gateway.cli.builder import build
from gateway.cli.given import Given, Key, Options, Table, from_file, from_options, overlay
from gateway.cli.kinds import AgentKind
from gateway.cli.variables import CONFIG, from_variables
from gateway.errors import ConfigurationError
from gateway.server.secret import Secret
from gateway.server.settings import Count, Settings

FILE: Final = "gateway.toml"
DEMO: Final = "gateway.demo:AGENTS"


class Tls(Struct, frozen=True, kw_only=True):
    """TLS of the listener, on as soon as `certificate` and `key` name PEM files.

    `password` opens the key. `client_ca` is a PEM file of authorities; with it clients must show a
    certificate of theirs. `minimum` is the oldest version spoken.
    """

    certificate: str = ""
    key: str = ""
    password: Secret | None = None
    client_ca: str = ""
    minimum: Literal["1.2", "1.3"] = "1.2"

    def __post_init__(self) -> None:
        if bool(self.certificate) != bool(self.key):
            raise ValueError("certificate and key belong together: one of them is missing")
        if self.client_ca and not self.certificate:
            raise ValueError("client_ca needs certificate and key")


class Listener(Struct, frozen=True, kw_only=True):
    """How the gateway listens; a change of it needs a restart.

    `host` and `port` (0: any free one), or `unix_socket`, a path, instead of both. `workers` are
    processes, `connections` what each of them accepts at once, idle ones included. `http` is the
    version: `auto` speaks both. `trusted_proxies` are addresses and networks whose
    `X-Forwarded-For` and `X-Forwarded-Proto` are believed, `*` any. `root_path` is the prefix that
    a proxy has cut off. `access_log` writes a line for each answer.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    unix_socket: str = ""
    workers: Annotated[int, Meta(ge=1, le=1024)] = 1
    connections: Count = 16384
    http: Literal["auto", "1", "2"] = "auto"
    root_path: str = ""
    access_log: bool = False
    trusted_proxies: tuple[str, ...] = ()
    tls: Tls = Tls()


class Configuration(Settings, frozen=True, kw_only=True):
    """Everything that `agui-gateway serve` needs to know.

    `target` is `module:attribute`, agents by name or a `Gateway`, which brings its own settings;
    `agents` are further ones by name; with neither the demo agents are served. `limits` bounds
    each run. `echo_input` puts the input on RUN_STARTED, `expose_errors` shows clients the texts of
    unexpected exceptions, for development.
    """

    target: str = ""
    agents: dict[str, AgentKind] = field(default_factory=dict)
    server: Listener = Listener()
    limits: Limits = Limits()
    echo_input: bool = False
    expose_errors: bool = False


class Sources(Struct, frozen=True):
    """Where to look, so that a reload can look again: `file` is what `--config` says."""

    file: str | None
    options: Options

    def read(self, env: Mapping[str, str]) -> Configuration:
        """The configuration as it is now. Raises ConfigurationError."""
        table = _file_table(self.file, env)
        for layer in (from_variables(Configuration, env), from_options(self.options)):
            overlay(table, _spelled_out(layer))
        return build(Configuration, table, env)

    def name(self, env: Mapping[str, str]) -> str:
        """The configuration file, empty if there is none."""
        named = self.file or env.get(CONFIG)
        return named or (FILE if Path(FILE).exists() else "")


def _file_table(file: str | None, env: Mapping[str, str]) -> Table:
    name = Sources(file, {}).name(env)
    return _spelled_out(from_file(Path(name))) if name else {}


def _spelled_out(table: Table) -> Table:
    """`agents.NAME = "module:attribute"` is short for a table with that `path`."""
    return {_agent_key(key, given): given for key, given in table.items()}


def _agent_key(key: Key, given: Given) -> Key:
    if len(key) != 2 or key[0] != "agents":
        return key
    if not isinstance(given.value, str):
        raise ConfigurationError(".".join(key), given.place, "expected module:attribute or a table")
    return (*key, "path")
