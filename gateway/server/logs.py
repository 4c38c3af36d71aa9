"""Log lines that say which run and which request they belong to, and hold no secret.

The identity of a run stands in a context variable of its task, so that whatever the agent or a
library logs carries it, too. Handlers get it from a filter, formatters render and mask; a record
with `details`, numbers and names of the gateway's own, needs no mask.
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

from gateway.agent import Request, RunRecord
from gateway.protocol.input import RunAgentInput
from gateway.server.mask import credentials, mask
from gateway.server.operations import Logs

LONGEST_ID: Final = 128
"""Characters of an id in a line; ids come from clients."""

RUN: Final[ContextVar[RunRecord | None]] = ContextVar("run", default=None)
"""The run whose agent logs."""


def ids_of(input: RunAgentInput, request: Request, agent: str) -> dict[str, str]:
    """What names a run; pass it as `extra={"ids": …}` where a line is written outside of it."""
    return {
        "run": input.run_id[:LONGEST_ID],
        "thread": input.thread_id[:LONGEST_ID],
        "request": request.id,
        "agent": agent,
    }


class RunIds(logging.Filter):
    """Puts the ids of the current run on a record, unless it has some."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Complete the record; lets all pass."""
        run = RUN.get()
        if run is not None and not hasattr(record, "secrets"):
            record.secrets = credentials(run.request.headers)
            if not hasattr(record, "ids"):
                record.ids = ids_of(run.input, run.request, run.agent)
        return True


class ConsoleLines(logging.Formatter):
    """Lines for people; a traceback follows on lines of its own."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line and the ids, each where there is one; line breaks in it cannot forge a line."""
        known: dict[str, str] = getattr(record, "ids", {})
        ids = [f"{name}={value!r}" for name, value in known.items() if value]
        line = super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")
        return f"{line} [{' '.join(ids)}]" if ids else line

    def format(self, record: logging.LogRecord) -> str:
        """The whole entry, masked."""
        line = super().format(record)
        return line if hasattr(record, "details") else mask(line, getattr(record, "secrets", ()))


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, process, ids, details, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The object, its texts masked."""
        secrets = getattr(record, "secrets", ())
        text = record.getMessage()
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": text if hasattr(record, "details") else mask(text, secrets),
            "process": record.process,
        }
        entry.update(getattr(record, "ids", {}))
        entry.update(getattr(record, "details", {}))
        if record.exc_info:
            entry["exception"] = mask(self.formatException(record.exc_info), secrets)
        return json.dumps(entry, ensure_ascii=False, default=str)


def logging_config(logs: Logs) -> dict[str, Any]:
    """A `logging.config.dictConfig` of the settings, without names of classes of this process."""
    kind = {"console": "ConsoleLines", "json": "JsonLines"}[logs.format]
    handler = {
        "class": "logging.StreamHandler",
        "formatter": "line",
        "filters": ["run"],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"run": {"()": f"{__name__}.RunIds"}},
        "formatters": {"line": {"()": f"{__name__}.{kind}"}},
        "handlers": {"stderr": handler},
        "loggers": {
            "_granian": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            "granian.access": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
        "root": {"level": logs.level, "handlers": ["stderr"]},
    }
