"""The gate on the cost of relaying a model: how many times cheaper than the official SDKs.

    python -m bench.llm.ratios      prints a table; fails if a ratio is below its least

Paced are 300 streams at once with 50 chunks a second each, unpaced 30 streams as fast as they go.
Both ways read the same server in turn; what is compared is CPU time per chunk, medians of repeats.
"""

from __future__ import annotations

import statistics
import sys
from typing import NamedTuple

from bench.llm.model_server import ModelServer
from bench.llm.worker import measure


class Load(NamedTuple):
    """So many streams of so many chunks at a rate (0: unpaced), and the least ratio."""

    streams: int
    chunks: int
    rate: int
    least: float
    repeats: int


LOADS = {
    "paced": Load(streams=300, chunks=250, rate=50, least=4.0, repeats=3),
    "unpaced": Load(streams=30, chunks=1000, rate=0, least=10.0, repeats=5),
}


def compare(load: Load) -> dict[str, float]:
    """Median CPU microseconds per chunk, by way."""
    samples: dict[str, list[float]] = {"gateway": [], "official": []}
    with ModelServer(load.chunks, load.rate) as server:
        for _ in range(load.repeats):
            for way, values in samples.items():
                values.append(measure(way, server.url, load.streams, load.chunks))
    return {way: statistics.median(values) for way, values in samples.items()}


def main() -> int:
    failed = False
    for name, load in LOADS.items():
        medians = compare(load)
        ratio = medians["official"] / medians["gateway"]
        print(
            f"{name:8} gateway {medians['gateway']:6.2f} µs  official {medians['official']:6.2f} µs"
            f" = {ratio:5.1f}x (least {load.least:.0f})",
            flush=True,
        )
        failed |= ratio < load.least
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
