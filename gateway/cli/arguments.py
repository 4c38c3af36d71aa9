"""What the command understands.

    agui-gateway serve          serve agents over HTTP
    agui-gateway check-config   read the configuration, load its agents, say what is wrong
    agui-gateway routes         print what would be answered
    agui-gateway schema         print the JSON Schema of the configuration, for editors

An option stands for the setting of the same name and prevails over every other place.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Final

import gateway
from gateway.cli.commands import check_config, routes, schema
from gateway.cli.configuration import FILE, Sources
from gateway.cli.given import Key
from gateway.cli.serve import serve
from gateway.errors import ConfigurationError

CONFIGURATION_STATUS: Final = 2
"""Exit status for settings that cannot be used; starting again does not help."""

VALUES: Final[dict[str, tuple[Key, str, str]]] = {
    "--host": (("server", "host"), "ADDRESS", "address to listen at (127.0.0.1)"),
    "--port": (("server", "port"), "PORT", "port to listen at, 0 for any free one (8000)"),
    "--unix-socket": (("server", "unix_socket"), "PATH", "listen at a Unix socket instead"),
    "--workers": (("server", "workers"), "COUNT", "processes (1)"),
    "--connections": (("server", "connections"), "COUNT", "of each worker, idle ones too (16384)"),
    "--http": (("server", "http"), "VERSION", "auto, 1 or 2 (auto)"),
    "--root-path": (("server", "root_path"), "PATH", "prefix that a proxy has cut off"),
    "--trusted-proxies": (
        ("server", "trusted_proxies"),
        "ADDRESSES",
        "addresses and networks whose X-Forwarded-For and -Proto are believed, * for any",
    ),
    "--tls-certificate": (("server", "tls", "certificate"), "FILE", "PEM; turns TLS on"),
    "--tls-key": (("server", "tls", "key"), "FILE", "PEM"),
    "--tls-client-ca": (("server", "tls", "client_ca"), "FILE", "PEM; clients need a certificate"),
    "--grace": (("shutdown", "grace"), "SECONDS", "for open runs after SIGTERM (20)"),
    "--keep-alive": (("keep_alive",), "SECONDS", "of silence before a comment, 0: never (15)"),
    "--max-body": (("max_body",), "BYTES", "of a request (8 MiB)"),
}
"""The options that take a value: setting, placeholder, help."""

SWITCHES: Final[dict[str, tuple[Key, str]]] = {
    "--access-log": (("server", "access_log"), "write a line for each answer"),
    "--expose-errors": (("expose_errors",), "show unexpected exceptions to clients"),
}

TARGET: Final = "module:attribute: agents by name, or a Gateway, which brings its own settings"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit status."""
    options = parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except ConfigurationError as error:
        print(f"agui-gateway: {error}", file=sys.stderr)
        return CONFIGURATION_STATUS
    except (ValueError, OSError) as error:
        print(f"agui-gateway: {error}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """The parser; `agui-gateway serve --help` shows every default."""
    whole = argparse.ArgumentParser(prog="agui-gateway", description=gateway.__doc__)
    whole.add_argument("--version", action="version", version=gateway.__version__)
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("serve", help="serve agents over HTTP")
    command.set_defaults(command=lambda options: serve(sources(options), watch=options.reload))
    command.add_argument(
        "--reload", action="store_true", help="restart when a file changes, for development"
    )
    _add_sources(command)
    command = commands.add_parser("check-config", help="read the configuration, load its agents")
    command.set_defaults(command=lambda options: check_config(sources(options)))
    _add_sources(command)
    command = commands.add_parser("routes", help="print what would be answered")
    command.set_defaults(command=lambda options: routes(sources(options)))
    _add_sources(command)
    command = commands.add_parser("schema", help="print the JSON Schema of the configuration")
    command.set_defaults(command=lambda options: schema())
    return whole


def _add_sources(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", nargs="?", help=TARGET)
    command.add_argument("--config", metavar="FILE", help=f"configuration file ({FILE}, if any)")
    for name, (_, placeholder, text) in VALUES.items():
        command.add_argument(name, metavar=placeholder, help=text)
    for name, (_, text) in SWITCHES.items():
        command.add_argument(name, action="store_true", default=None, help=text)


def sources(options: argparse.Namespace) -> Sources:
    """The places that the command line names, and the settings that it gives itself."""
    given: dict[Key, tuple[str, str | bool | None]] = {("target",): ("TARGET", options.target)}
    keys = {name: key for name, (key, *_) in VALUES.items()}
    keys.update((name, key) for name, (key, _) in SWITCHES.items())
    for name, key in keys.items():
        given[key] = (name, getattr(options, name[2:].replace("-", "_")))
    return Sources(options.config, given)
