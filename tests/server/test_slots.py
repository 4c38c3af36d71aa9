"""Counters of processes that come and go."""

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from gateway.server.slots import sweep

Process = subprocess.Popen[str]


def start(directory: Path) -> Process:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server.slot"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(directory)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "counted\n"
    return process


def end(process: Process) -> None:
    process.kill()
    process.communicate()


def total(directory: Path, name: str) -> float:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(directory))  # type: ignore[no-untyped-call]
    return registry.get_sample_value(name) or 0.0


def test_totals_stay_and_gauges_go_with_their_process(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    assert (total(tmp_path, "seen_total"), total(tmp_path, "open")) == (2, 2)
    end(first)
    sweep(str(tmp_path))
    assert (total(tmp_path, "seen_total"), total(tmp_path, "open")) == (2, 1)
    end(second)


def test_a_process_takes_the_slot_of_one_that_has_ended(tmp_path: Path) -> None:
    for _ in range(3):
        end(start(tmp_path))
    again = start(tmp_path)
    assert (total(tmp_path, "seen_total"), total(tmp_path, "open")) == (4, 1)
    assert len(list(tmp_path.glob("slot_*.lock"))) == 1
    end(again)
