"""One model's answer of 1000 chunks to AG-UI bytes, over HTTP from a server in another process.

Timed: a worker process from its start to its end, imports included, which `us_per_chunk` leaves
out: that is the CPU time of ten streams at once. See `ratios` for the gate, also under paced load.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.llm.model_server import ModelServer
from bench.llm.worker import measure


@pytest.mark.parametrize("way", ["gateway", "official"])
def test_relay(benchmark: BenchmarkFixture, way: str) -> None:
    benchmark.group = "relay"
    with ModelServer(chunks=1000, rate=0) as server:
        cost = benchmark(measure, way, server.url, 10, 1000)
    benchmark.extra_info["us_per_chunk"] = cost
