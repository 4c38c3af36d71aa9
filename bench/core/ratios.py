"""The gate on the core's speed: how many times cheaper than the official SDK and uncompiled.

    python -m bench.core.ratios      prints a table; fails if a ratio is below its least

Every figure is the median CPU time of interleaved repeats in one run, so that a noisy machine
disturbs all of them alike; absolute times are for orientation only.
"""

from __future__ import annotations

import statistics
import sys

from bench.core.worker import Worker
from bench.core.workload import TEXTS

REPEATS = 41
LEAST = {"emit": 28.0, "text": 80.0}
"""Times cheaper than the official SDK, compiled."""
LEAST_COMPILED = 2.0
"""Times cheaper than the interpreted core."""

Medians = dict[str, float]


def measure(script: str, compiled: Worker, interpreted: Worker, repeats: int = REPEATS) -> Medians:
    """Medians in nanoseconds per event, by the name of the column."""
    samples: dict[str, list[float]] = {}
    for _ in range(repeats):
        for name, worker, way in (
            ("official", compiled, "official"),
            ("emit", compiled, "emit"),
            ("emit interpreted", interpreted, "emit"),
            ("text", compiled, "text"),
            ("text interpreted", interpreted, "text"),
        ):
            samples.setdefault(name, []).append(worker.measure(way, script))
    return {name: statistics.median(values) for name, values in samples.items()}


def failures(script: str, medians: Medians) -> list[str]:
    """What is below its least ratio, in words."""
    found: list[str] = []
    for way, least in LEAST.items():
        cheaper = medians["official"] / medians[way]
        gain = medians[f"{way} interpreted"] / medians[way]
        print(
            f"{script:12} {way:5} {medians[way]:6.1f} ns  official {medians['official']:6.0f} ns"
            f" = {cheaper:5.1f}x (least {least:.0f})"
            f"  interpreted {medians[f'{way} interpreted']:5.0f} ns = {gain:3.1f}x"
            f" (least {LEAST_COMPILED:.0f})"
        )
        if cheaper < least:
            found.append(f"{script} {way}: {cheaper:.1f} times cheaper than the official SDK")
        if gain < LEAST_COMPILED:
            found.append(f"{script} {way}: {gain:.1f} times cheaper than interpreted")
    return found


def main() -> int:
    """Measure everything; 1 if anything is too slow."""
    found: list[str] = []
    with Worker(compiled=True) as compiled, Worker(compiled=False) as interpreted:
        for script in TEXTS:
            found += failures(script, measure(script, compiled, interpreted))
    for line in found:
        print(f"too slow: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
