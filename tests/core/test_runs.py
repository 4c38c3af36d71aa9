"""Runs: where a stream stands, and whether the ids of its boundaries agree."""

import pytest

from gateway.errors import OrderingError
from gateway.protocol import events as e
from gateway_native.kinds import CUSTOM, RUN_ERROR, RUN_FINISHED, RUN_STARTED
from gateway_native.runs import Runs

PLACES = {
    "idle": ([], {RUN_STARTED, RUN_ERROR}),
    "active": ([RUN_STARTED], {CUSTOM, RUN_FINISHED, RUN_ERROR}),
    "finished": ([RUN_STARTED, RUN_FINISHED], {RUN_STARTED, RUN_ERROR}),
    "errored": ([RUN_ERROR], {RUN_STARTED}),
}


def runs_after(kinds: list[int], agreement: bool = True, run_id: str | None = None) -> Runs:
    runs = Runs(agreement, None, run_id)
    for kind in kinds:
        if kind == RUN_STARTED:
            runs.start(e.RunStarted("t", "r"))
        else:
            runs.end(kind)
    return runs


def allows(runs: Runs, kind: int) -> bool:
    try:
        runs.require_place(kind)
    except OrderingError:
        return False
    return True


@pytest.mark.parametrize("phase", PLACES)
def test_what_may_stand_where(phase: str) -> None:
    kinds, allowed = PLACES[phase]
    everything = (CUSTOM, RUN_STARTED, RUN_FINISHED, RUN_ERROR)
    assert {kind for kind in everything if allows(runs_after(kinds), kind)} == allowed


def test_the_first_run_decides_the_thread() -> None:
    runs = runs_after([RUN_STARTED, RUN_FINISHED])
    with pytest.raises(OrderingError, match="wrong-run"):
        runs.start(e.RunStarted("u", "r"))
    runs.start(e.RunStarted("t", "q"))
    assert runs.current == "q"


def test_without_agreement_ids_are_free() -> None:
    runs = runs_after([RUN_STARTED], agreement=False, run_id="z")
    runs.require_end(e.RunFinished("u", "q"))
    runs.end(RUN_FINISHED)
    runs.start(e.RunStarted("u", "q"))
    runs.end(RUN_FINISHED)
    runs.require_complete()


@pytest.mark.parametrize("run_id", ["", "z"])
def test_the_last_run_must_be_the_one_asked_for(run_id: str) -> None:
    with pytest.raises(OrderingError, match="wrong-run"):
        runs_after([RUN_STARTED, RUN_FINISHED], run_id=run_id).require_complete()
