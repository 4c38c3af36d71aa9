"""Everything that watches a gateway, as its settings say: the log, metrics and traces."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gateway.agent import RunObserver
from gateway.errors import RefusedError
from gateway.server.operations import Metrics, Tracing
from gateway.server.response import Response
from gateway.server.run_log import RunLog

if TYPE_CHECKING:
    from gateway.server.metrics import RunMetrics
    from gateway.server.tracing import RunTracer


class Watch:
    """The observers of the runs of one gateway, and what counts its refusals.

    Raises ValueError when a setting asks for an extra that is not installed.
    """

    def __init__(self, metrics: Metrics, tracing: Tracing) -> None:
        self._settings = metrics
        self._metrics = _metrics(metrics)
        self._tracer = _tracer(tracing)
        found = (RunLog(), self._metrics, self._tracer)
        self.observers: tuple[RunObserver, ...] = tuple(one for one in found if one is not None)

    @property
    def measures(self) -> bool:
        """Whether there are metrics to be read."""
        return self._metrics is not None

    def refused(self, error: RefusedError) -> None:
        """A request gets an error instead of a run."""
        if self._metrics is not None:
            self._metrics.refused(error)

    def metrics(self, headers: Mapping[str, str]) -> Response:
        """The answer to whoever scrapes. Raises RefusedError (401, or 404 without metrics)."""
        if self._metrics is None:
            raise RefusedError(404, "NOT_FOUND", "There are no metrics here.")
        from gateway.server.exposition import authorize, exposition

        authorize(headers, self._settings.key_sha256)
        return exposition(self._metrics.registry, headers.get("accept", ""))

    async def close(self) -> None:
        """Send what is left of the traces, for two seconds at most."""
        if self._tracer is not None:
            await asyncio.to_thread(self._tracer.flush)


def _metrics(settings: Metrics) -> RunMetrics | None:
    if settings.enabled is False:
        return None
    if importlib.util.find_spec("prometheus_client") is None:
        if settings.enabled:
            raise ValueError(
                "metrics.enabled needs prometheus_client: pip install 'agui-gateway[metrics]'"
            )
        return None
    from gateway.server.metrics import RunMetrics

    return RunMetrics()


def _tracer(settings: Tracing) -> RunTracer | None:
    if not settings.enabled:
        return None
    if importlib.util.find_spec("opentelemetry") is None:
        raise ValueError("tracing.enabled needs OpenTelemetry: pip install 'agui-gateway[otel]'")
    from gateway.server.tracing import RunTracer

    return RunTracer()
