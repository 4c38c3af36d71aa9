"""Instructions per event, counted by callgrind: the same on a busy machine as on an idle one.

    python -m bench.core.instructions            compares with bench/instructions.json, gate +5 %
    python -m bench.core.instructions record     writes that file
    python -m bench.core.instructions run WAY N  the work itself, N times 1000 events

A count is the difference between a run of the work and a run of nothing, so that starting Python
and importing are not in it.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FILE = Path(__file__).parents[1] / "instructions.json"
ROUNDS = 5
TOLERANCE = 1.05
VERSIONS = ("mypy", "msgspec")


def run(way: str, rounds: int) -> None:
    """The work that is counted."""
    from bench.core.workload import TEXTS, WAYS

    work = WAYS[way](TEXTS["ascii"])
    for _ in range(rounds):
        work()


def count(way: str, rounds: int) -> int:
    """Instructions of a process that does the work."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.executable]
        work = ["-m", "bench.core.instructions", "run", way, str(rounds)]
        environment = {**os.environ, "PYTHONHASHSEED": "0", "GATEWAY_PURE": "0"}
        done = subprocess.run([*command, *work], env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None
    return int(found[1])


def measure() -> dict[str, int]:
    """Instructions per event, by way."""
    from bench.core.workload import COUNT

    return {
        way: round((count(way, ROUNDS + 1) - count(way, 1)) / ROUNDS / COUNT)
        for way in ("emit", "text")
    }


def versions() -> dict[str, str]:
    """What the counts depend on besides our own code."""
    found = {name: importlib.metadata.version(name) for name in VERSIONS}
    return {"python": platform.python_version(), **found}


def compare(counts: dict[str, int]) -> int:
    """1 if a count is beyond the recorded one by more than the tolerance."""
    recorded = json.loads(FILE.read_text())
    if recorded["versions"] != versions():
        print(f"recorded with {recorded['versions']}, running {versions()}: not comparable")
        return 0
    failed = 0
    for way, instructions in counts.items():
        before: int = recorded["instructions"][way]
        print(f"{way:5} {instructions:6} instructions per event, recorded {before:6}")
        failed |= instructions > before * TOLERANCE
    return failed


def main(arguments: list[str]) -> int:
    """See the top of this module."""
    if arguments[:1] == ["run"]:
        run(arguments[1], int(arguments[2]))
        return 0
    counts = measure()
    if arguments == ["record"]:
        text = json.dumps({"versions": versions(), "instructions": counts}, indent=2)
        FILE.write_text(text + "\n")
        print(text)
        return 0
    return compare(counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
