"""Counters for Prometheus, kept by observing runs (extra `metrics`).

Nothing is counted while a run goes on: events and bytes are added when it has ended, from counters
that its stream has anyway. In several processes the counters are those of all of them (`slots`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from gateway.agent import Observation, RunRecord
from gateway.agent.outgoing import CALL_COUNTER, Call
from gateway.errors import RefusedError

PREFIX: Final = "agui"
FAST: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Seconds to a first event."""
LONG: Final = (0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
"""Seconds of a run."""

MOST_CODES: Final = 64
OTHER: Final = "OTHER"
_CODE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


class Codes:
    """Error codes as label values; agents choose codes, but never how many series there are."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def label(self, code: str) -> str:
        """The code, or OTHER for what is no name or one too many."""
        if not code or code in self._known:
            return code
        if len(self._known) >= MOST_CODES or not _CODE.fullmatch(code):
            return OTHER
        self._known.add(code)
        return code


class Series(NamedTuple):
    """The series of one agent, looked up once."""

    started: Counter
    active: Gauge
    events: Counter
    bytes: Counter
    first: Histogram
    duration: Histogram


class RunMetrics:
    """Observes all runs of one gateway; `registry` holds its metrics in this process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._codes = Codes()
        self._series: dict[str, Series] = {}
        self._started = self._counter("runs_started", "Runs started", "agent")
        self._ended = self._counter("runs_ended", "Runs ended", "agent", "outcome", "code")
        self._active = Gauge(
            f"{PREFIX}_runs_active",
            "Runs going on",
            ["agent"],
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self._events = self._counter("events", "Events of ended runs", "agent")
        self._bytes = self._counter("stream_bytes", "Encoded bytes of ended runs", "agent")
        self._first = self._histogram(
            "first_event_seconds", "From start to first event of the agent", FAST
        )
        self._duration = self._histogram("run_duration_seconds", "From start to end of a run", LONG)
        self._violations = self._counter(
            "violations", "Events of agents that broke a rule", "agent", "rule"
        )
        self._cancellations = self._counter("cancellations", "Runs cancelled", "agent", "reason")
        self._rejected = self._counter("requests_rejected", "Requests refused", "code", "status")
        self._calls = self._counter(
            "upstream_calls", "Requests to other servers", "upstream", "code"
        )
        self._call_duration = self._histogram(
            "upstream_call_seconds", "From request to end of its stream", LONG, "upstream"
        )

    def observe(self, record: RunRecord) -> Observation:
        """Count a run that starts."""
        CALL_COUNTER.set(self.call_ended)
        series = self._series.get(record.agent)
        if series is None:
            series = self._series[record.agent] = self._of(record.agent)
        series.started.inc()
        series.active.inc()
        return _Counting(self, series, record)

    def refused(self, error: RefusedError) -> None:
        """Count a request that gets an error instead of a run."""
        self._rejected.labels(self._codes.label(error.code), str(error.status)).inc()

    def ended(self, run: RunRecord) -> None:
        """Count what is not one series for each agent."""
        self._ended.labels(run.agent, run.result, self._codes.label(run.code)).inc()
        for rule, times in run.violations.items():
            self._violations.labels(run.agent, rule).inc(times)
        if run.reason is not None:
            self._cancellations.labels(run.agent, run.reason).inc()

    def call_ended(self, call: Call) -> None:
        """Count a request to another server that is over."""
        self._calls.labels(call.upstream, self._codes.label(call.code)).inc()
        self._call_duration.labels(call.upstream).observe(call.seconds)

    def _of(self, agent: str) -> Series:
        return Series(
            self._started.labels(agent),
            self._active.labels(agent),
            self._events.labels(agent),
            self._bytes.labels(agent),
            self._first.labels(agent),
            self._duration.labels(agent),
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"{PREFIX}_{name}", text, labels, registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: tuple[float, ...], label: str = "agent"
    ) -> Histogram:
        return Histogram(f"{PREFIX}_{name}", text, [label], registry=self.registry, buckets=buckets)


class _Counting(Observation):
    def __init__(self, metrics: RunMetrics, series: Series, record: RunRecord) -> None:
        self._metrics = metrics
        self._series = series
        self._record = record

    def end(self) -> None:
        series, run = self._series, self._record
        series.active.dec()
        series.events.inc(run.events)
        series.bytes.inc(run.bytes)
        series.duration.observe(run.duration)
        if run.first_event is not None:
            series.first.observe(run.first_event)
        self._metrics.ended(run)
