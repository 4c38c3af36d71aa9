"""OpenTelemetry spans (extra `otel`), made by observing runs.

    invoke_agent NAME          the run; below the client's span if it sent a `traceparent`
    ├── step NAME              from STEP_STARTED to STEP_FINISHED
    ├── execute_tool NAME      from TOOL_CALL_START to its result, or to the end of the run
    ├── invoke_agent NAME      a subagent
    └── POST                   a call that leaves the process (`gateway.agent.outgoing`)

A step, a tool or a call hangs below the innermost step or subagent of the same owner that is open.
The run's span is current in the agent's task, so that spans of the agent and of instrumented
libraries find it. Names and attributes follow the semantic conventions for generative AI; neither
messages nor arguments nor results are recorded, and of URLs only scheme, host and path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

import gateway
from gateway.agent import Observation, RunRecord
from gateway.agent.outgoing import CALLER
from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    Event,
    StepFinished,
    StepStarted,
    SubagentError,
    SubagentFinished,
    SubagentStarted,
    ToolCallResult,
    ToolCallStart,
)

MOST_OPEN: Final = 1000
"""Spans of one run that are open at a time; more are left out."""


class RunTracer:
    """Observes runs for tracing; the spans go to the tracer provider of the process.

    `provider` stands in for that one.
    """

    def __init__(self, provider: trace.TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = trace.get_tracer("gateway", gateway.__version__, provider)

    def observe(self, record: RunRecord) -> Observation | None:
        """Open the span of a run and make it current in the agent's task."""
        sent = {
            name: record.request.headers.get(name, "") for name in ("traceparent", "tracestate")
        }
        parent = propagate.extract({name: value for name, value in sent.items() if value})
        span = self._tracer.start_span(
            f"invoke_agent {record.agent}", parent, SpanKind.SERVER, _attributes(record)
        )
        context.attach(trace.set_span_in_context(span, parent))
        traced = TracedRun(self._tracer, record, span)
        CALLER.set(traced)
        return traced if span.is_recording() else None

    def flush(self) -> None:
        """Send the spans that wait."""
        provider: Any = self._provider or trace.get_tracer_provider()
        if hasattr(provider, "force_flush"):
            provider.force_flush(2000)


class TracedRun(Observation):
    """The spans of one run."""

    def __init__(self, tracer: trace.Tracer, record: RunRecord, span: Span) -> None:
        self._tracer = tracer
        self._record = record
        self._span = span
        self._open: dict[tuple[str, str], Span] = {}
        self._owners: dict[tuple[str, str], str] = {}

    def event(self, event: Event) -> None:
        """Open or close a span."""
        if isinstance(event, StepStarted):
            self._start(f"step {event.step_name}", ("step", _step(event)), _owner(event))
        elif isinstance(event, StepFinished):
            self._finish(("step", _step(event)))
        elif isinstance(event, ToolCallStart):
            self._start_tool(event)
        elif isinstance(event, ToolCallResult):
            self._finish(("tool", event.tool_call_id))
        elif isinstance(event, SubagentStarted):
            self._start_subagent(event)
        elif isinstance(event, SubagentFinished | SubagentError):
            self._finish(
                ("subagent", event.subagent_run_id),
                "failed" if isinstance(event, SubagentError) else "",
            )

    def end(self) -> None:
        """Close everything; a run that ended in an error has its code as `error.type`."""
        for key in reversed(list(self._open)):
            self._finish(key)
        record, span = self._record, self._span
        span.set_attribute("agui.run.result", record.result)
        span.set_attribute("agui.run.events", record.events)
        span.set_attribute("agui.run.bytes", record.bytes)
        if record.reason:
            span.set_attribute("agui.run.cancelled", record.reason)
        if record.result == "error":
            span.set_attribute("error.type", record.code or "_OTHER")
            span.set_status(Status(StatusCode.ERROR, record.code))
        span.end()

    @contextmanager
    def call(self, method: str, url: str) -> Iterator[Mapping[str, str]]:
        """A span for a call that leaves the process, and the headers that tell of it."""
        parts = urlsplit(url)
        attributes: dict[str, str | int] = {
            "http.request.method": method,
            "server.address": parts.hostname or "",
            "url.full": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}",
        }
        if parts.port:
            attributes["server.port"] = parts.port
        with self._tracer.start_as_current_span(
            method,
            self._parent_of_call(),
            SpanKind.CLIENT,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            headers: dict[str, str] = {}
            propagate.inject(headers)
            try:
                yield headers
            except BaseException as error:
                span.set_attribute("error.type", type(error).__qualname__)
                span.set_status(Status(StatusCode.ERROR))  # the text may hold a secret
                raise

    def _parent_of_call(self) -> context.Context:
        if trace.get_current_span() is self._span and self._open:
            return trace.set_span_in_context(next(reversed(self._open.values())))
        return context.get_current()

    def _start_tool(self, event: ToolCallStart) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.tool_call_name,
            "gen_ai.tool.call.id": event.tool_call_id,
        }
        name = f"execute_tool {event.tool_call_name}"
        self._start(name, ("tool", event.tool_call_id), _owner(event), attributes)

    def _start_subagent(self, event: SubagentStarted) -> None:
        parent = event.parent_subagent_run_id
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": event.name,
            "gen_ai.agent.id": event.subagent_run_id,
        }
        key = ("subagent", event.subagent_run_id)
        owner = "" if parent is UNSET else parent
        self._start(f"invoke_agent {event.name}", key, owner, attributes)

    def _start(
        self,
        name: str,
        key: tuple[str, str],
        owner: str,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        if key in self._open or len(self._open) >= MOST_OPEN:
            return
        parent = trace.set_span_in_context(self._parent_of(owner))
        self._open[key] = self._tracer.start_span(name, parent, attributes=attributes)
        self._owners[key] = owner

    def _parent_of(self, owner: str) -> Span:
        """The innermost open step of the owner, else the owner, else the run."""
        for key in reversed(self._open):
            if key[0] == "step" and self._owners[key] == owner:
                return self._open[key]
        return self._open.get(("subagent", owner), self._span)

    def _finish(self, key: tuple[str, str], error: str = "") -> None:
        span = self._open.pop(key, None)
        if span is None:
            return
        del self._owners[key]
        if error:
            span.set_status(Status(StatusCode.ERROR))
        span.end()


def _attributes(record: RunRecord) -> dict[str, str]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": record.agent,
        "gen_ai.conversation.id": record.thread_id,
        "agui.run.id": record.run_id,
    }
    if record.request.id:
        attributes["agui.request.id"] = record.request.id
    return attributes


def _owner(event: StepStarted | StepFinished | ToolCallStart) -> str:
    return "" if event.subagent_run_id is UNSET else event.subagent_run_id


def _step(event: StepStarted | StepFinished) -> str:
    return f"{_owner(event)}\0{event.step_name}"
