"""The replay command: `python -m tests.replay --vectors DIR --streams DIR --cassettes DIR`."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.replay.report import Report, documents, replay, vectors


def reports(arguments: argparse.Namespace) -> Iterator[Report]:
    if arguments.vectors:
        yield from vectors(arguments.vectors)
    if arguments.streams:
        yield replay("streams", documents(arguments.streams))
    if arguments.cassettes:
        yield replay("cassettes", documents(arguments.cassettes))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    for option in ("--vectors", "--streams", "--cassettes"):
        parser.add_argument(option, type=Path, metavar="DIR")
    arguments = parser.parse_args()
    failed: list[Report] = []
    for report in reports(arguments):
        print(report, flush=True)
        if report.failures:
            failed.append(report)
    for report in failed:
        for name, difference in report.failures:
            print(f"FAILED {report.name} {name}: {difference}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
