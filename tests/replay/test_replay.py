"""The copies of the conformance material in `tests/data/` pass by the rule of each file."""

from pathlib import Path

import pytest

from tests.replay.report import Report, documents, lines, replay, rule

DATA = Path(__file__).parent.parent / "data"
VECTORS = sorted(path for path in (DATA / "vectors").glob("*.jsonl") if rule(path.stem))


def _assert_passes(report: Report) -> None:
    assert not report.failures, "\n".join(f"{n}: {d}" for n, d in report.failures[:20])
    assert report.passed
    assert report.waived < 0.01 * (report.passed + report.waived) or report.waived == 0


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vectors_pass(path: Path) -> None:
    _assert_passes(replay(path.stem, lines(path)))


def test_conformance_streams_pass() -> None:
    _assert_passes(replay("streams", documents(DATA / "conformance" / "streams")))


def test_recorded_answers_of_providers_pass() -> None:
    _assert_passes(replay("cassettes", documents(DATA / "cassettes")))
