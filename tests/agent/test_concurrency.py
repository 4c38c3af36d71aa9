"""One agent instance for all: no cross-talk, and nothing left of cancelled runs."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import subprocess
import sys

import pytest

from tests.agent.crowd import cancelled_run, follow, marked_run, strangers

SCRIPT = """
import asyncio, gc, warnings
warnings.simplefilter("error")
from tests.agent.crowd import cancelled_run

async def main(count):
    asyncio.get_running_loop().slow_callback_duration = 60  # a machine under load is no failure
    for start in range(0, count, 100):
        await asyncio.gather(*(cancelled_run(start + i) for i in range(100)))
    assert asyncio.all_tasks() == {asyncio.current_task()}, asyncio.all_tasks()

asyncio.run(main(5000))
gc.collect()
"""


@pytest.mark.parametrize("cancelling", [False, True])
def test_a_thousand_concurrent_runs_do_not_mix(cancelling: bool) -> None:
    dice = random.Random(7)

    async def scenario() -> None:
        runs = [marked_run(number) for number in range(1000)]
        streams = await asyncio.gather(*(follow(run, dice, cancelling) for run in runs))
        for number, events in enumerate(streams):
            assert events[0].type == "RUN_STARTED"
            assert events[-1].type in ("RUN_FINISHED", "RUN_ERROR")
            assert strangers(number, events) == []
        whole = sum(len(events) == 15 for events in streams)
        assert whole == 1000 if not cancelling else 0 < whole < 1000
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(scenario())


def test_cancelled_runs_leave_nothing_in_debug_mode() -> None:
    """5,000 of them in a process of its own: no task, no warning, no word on stderr."""
    environment = {**os.environ, "PYTHONASYNCIODEBUG": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_cancelled_runs_leave_no_objects() -> None:
    async def some(count: int) -> int:
        for number in range(count):
            await cancelled_run(number)
        gc.collect()
        return len(gc.get_objects())

    async def scenario() -> tuple[int, int]:
        return await some(50), await some(200)

    before, after = asyncio.run(scenario())
    assert after - before < 200
