"""Cancelled runs leave memory flat and no task; `make soak` does it at full length."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from tests.agent.crowd import cancelled_run

AT_ONCE = 50
ALLOWED = 1024 * 1024
"""Bytes that the process may grow by after the first fifth."""


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def cancel_many(count: int) -> list[int]:
    """Start and cancel `count` runs; returns the resident memory after each fifth."""
    sizes = []
    for _ in range(5):
        for start in range(0, count // 5, AT_ONCE):
            await asyncio.gather(*(cancelled_run(start + number) for number in range(AT_ONCE)))
        gc.collect()
        sizes.append(resident())
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return sizes


def test_memory_stays_flat_over_cancelled_runs(request: pytest.FixtureRequest) -> None:
    count = 100_000 if request.config.getoption("soak") else 3_000
    sizes = asyncio.run(cancel_many(count))
    print(f"{count} cancelled runs: {[size // 1024 for size in sizes]} KiB")
    assert max(sizes[1:]) - sizes[0] < ALLOWED
