"""What the command understands."""

import argparse
import sys
from collections.abc import Sequence

import gateway
from gateway.cli.serve import Serve, serve
from gateway.server.settings import Settings

DEFAULT_TARGET = "gateway.demo:AGENTS"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit status."""
    options = parser().parse_args(arguments)
    try:
        settings = Settings(max_body=options.max_body, keep_alive=options.keep_alive)
        return serve(
            Serve(
                target=options.target,
                host=options.host,
                port=options.port,
                workers=options.workers,
                settings=settings,
            )
        )
    except (ValueError, OSError) as error:
        print(f"agui-gateway: {error}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """The parser; `agui-gateway serve --help` shows every default."""
    whole = argparse.ArgumentParser(prog="agui-gateway", description=gateway.__doc__)
    whole.add_argument("--version", action="version", version=gateway.__version__)
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser(
        "serve",
        help="serve agents over HTTP",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = command.add_argument
    add(
        "target",
        nargs="?",
        default=DEFAULT_TARGET,
        help="module:attribute: agents by name, or a Gateway, which brings its own settings",
    )
    add("--host", default="127.0.0.1", help="address to listen at")
    add("--port", type=_port, default=8000, help="port to listen at, 0 for any free one")
    add("--workers", type=_count, default=1, help="processes")
    add("--keep-alive", type=float, default=15.0, metavar="SECONDS", help="0 for no comments")
    add("--max-body", type=_count, default=8 * 1024 * 1024, metavar="BYTES", help="of a request")
    return whole


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"expected 0 to 65535, not {text}")
    return port


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, not {text}")
    return count
