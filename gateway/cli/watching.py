"""What a server process and its workers set up to be watched: log, counters, exporter of traces."""

import importlib.util
import logging.config
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gateway.server.logs import logging_config
from gateway.server.operations import Metrics, Tracing
from gateway.server.settings import Settings

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that tells `prometheus_client` where processes share their counters."""

OWN: Final = "agui-gateway-metrics-"
"""How the names of directories begin that a server has made for its own workers."""


@contextmanager
def shared_counters(metrics: Metrics) -> Iterator[None]:
    """A directory for the counters of all workers, as long as the server lives.

    A directory that the environment names is left as it is.
    """
    if DIRECTORY in os.environ or not _counts(metrics) or sys.platform == "win32":
        yield
        return
    os.environ[DIRECTORY] = directory = tempfile.mkdtemp(prefix=OWN)
    try:
        yield
    finally:
        del os.environ[DIRECTORY]
        shutil.rmtree(directory, ignore_errors=True)


def watch_worker(settings: Settings) -> None:
    """Set up a worker process, before its agents are loaded."""
    logging.config.dictConfig(logging_config(settings.logs))
    directory = os.environ.get(DIRECTORY, "")
    if os.path.basename(directory).startswith(OWN) and _counts(settings.metrics):
        from gateway.server.slots import join

        join(directory)
    if settings.tracing.enabled:
        _export(settings.tracing)


def _counts(metrics: Metrics) -> bool:
    return metrics.enabled is not False and bool(importlib.util.find_spec("prometheus_client"))


def _export(tracing: Tracing) -> None:
    """Send spans by OTLP over HTTP, as the `OTEL_*` variables say; not if the extra is missing."""
    if importlib.util.find_spec("opentelemetry") is None:
        return  # the gateway says so
    from gateway.cli.exporter import export

    export()
