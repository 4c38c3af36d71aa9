"""The command line: `agui-gateway serve`."""

from gateway.cli.arguments import main

__all__ = ["main"]
