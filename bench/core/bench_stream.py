"""Text events to SSE frames: the compiled and the interpreted core and the official SDK.

Timed: 4000 events in a worker process and one line over a pipe each way (0.1 % of it); what is
done with an event is told in `workload`. A group is one script. The table is wall time, which other
processes disturb, slow samples most; `ns_per_event` is CPU time, and so are the ratios that
`ratios` gates.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.core.worker import Worker
from bench.core.workload import TEXTS


@pytest.fixture(scope="module")
def workers() -> Iterator[dict[str, Worker]]:
    with Worker(compiled=True) as compiled, Worker(compiled=False) as interpreted:
        yield {"compiled": compiled, "interpreted": interpreted}


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize(
    ("core", "way"),
    [
        ("compiled", "emit"),
        ("interpreted", "emit"),
        ("compiled", "text"),
        ("interpreted", "text"),
        ("compiled", "official"),
    ],
)
def test_text_to_frames(
    benchmark: BenchmarkFixture, workers: dict[str, Worker], script: str, core: str, way: str
) -> None:
    benchmark.group = script
    benchmark.extra_info["ns_per_event"] = workers[core].measure(way, script)
    benchmark(workers[core].measure, way, script)
