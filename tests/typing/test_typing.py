"""An embedder's code passes mypy and pyright, and the mistakes in `mistakes.py` do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gateway_native import COMPILED

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EMBEDDER = HERE / "embedder.py"
MISTAKES = HERE / "mistakes.py"
PATHS = (str(EMBEDDER), str(MISTAKES))
MARKED = {
    number
    for number, line in enumerate(MISTAKES.read_text(encoding="utf-8").splitlines(), 1)
    if line.endswith("# mistake")
}

Lines = dict[str, set[int]]
"""The lines with errors, by file name."""

pytestmark = pytest.mark.skipif(
    COMPILED, reason="types do not depend on the core: checked with the interpreted one"
)


@pytest.fixture(scope="module")
def mypy() -> Lines:
    """The lines at which mypy reports an error."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--config-file=", *PATHS],
        cwd=ROOT,
        env={"MYPYPATH": f"{ROOT}:{ROOT / 'native'}", "MYPY_CACHE_DIR": ".mypy_cache/embedder"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr + done.stdout
    lines: Lines = {path.name: set() for path in (EMBEDDER, MISTAKES)}
    for name, number in re.findall(r"(\w+\.py):(\d+): error", done.stdout):
        lines.setdefault(name, set()).add(int(number))
    return lines


@pytest.fixture(scope="module")
def pyright() -> Lines:
    """The lines at which pyright reports an error."""
    ready = subprocess.run(
        [sys.executable, "-m", "pyright", "--version"], capture_output=True, timeout=120
    )
    if ready.returncode:
        pytest.skip("pyright is not set up: it fetches its sources from npm once")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *PATHS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines: Lines = {path.name: set() for path in (EMBEDDER, MISTAKES)}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            line = one["range"]["start"]["line"] + 1
            lines.setdefault(Path(one["file"]).name, set()).add(line)
    return lines


EXPECTED: Lines = {EMBEDDER.name: set(), MISTAKES.name: MARKED}


def test_mypy_accepts_an_embedder_and_reports_the_mistakes(mypy: Lines) -> None:
    assert mypy == EXPECTED


def test_pyright_accepts_an_embedder_and_reports_the_mistakes(pyright: Lines) -> None:
    assert pyright == EXPECTED
