"""The log of runs: one line for the end of each, and the ids for every line in between."""

from __future__ import annotations

import logging

from gateway.agent import Observation, RunRecord
from gateway.server.logs import RUN, ids_of

logger = logging.getLogger("gateway.runs")


class RunLog:
    """Observes runs for the log."""

    def observe(self, record: RunRecord) -> Observation:
        """Name the run in what its agent logs."""
        RUN.set(record)
        return _Ending(record)


class _Ending(Observation):
    def __init__(self, record: RunRecord) -> None:
        self._record = record

    def end(self) -> None:
        """Write the line; a run that failed is a warning."""
        level = logging.WARNING if self._record.result == "error" else logging.INFO
        if not logger.isEnabledFor(level):
            return
        details = self._details()
        text = " ".join(f"{name}={value}" for name, value in details.items())
        run = self._record
        extra = {"ids": ids_of(run.input, run.request, run.agent), "details": details}
        logger.log(level, "run ended: %s", text, extra=extra)

    def _details(self) -> dict[str, str | int | float]:
        run = self._record
        details: dict[str, str | int | float] = {"result": run.result}
        if run.code:
            details["code"] = run.code[:64]
        if run.reason:
            details["reason"] = run.reason
        details |= {"events": run.events, "bytes": run.bytes, "seconds": round(run.duration, 4)}
        if run.first_event is not None:
            details["first_event"] = round(run.first_event, 4)
        if run.violations:
            details["violations"] = sum(run.violations.values())
        return details
