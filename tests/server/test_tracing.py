"""Spans, collected in memory; the contexts of both sides are the W3C's."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span

from gateway.agent import Options, RunContext
from gateway.agent.outgoing import outgoing
from gateway.errors import AgentError
from gateway.server import Gateway, Settings
from gateway.server.operations import Tracing
from gateway.server.tracing import RunTracer
from tests.server.asgi import JSON, send

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
INCOMING = {**JSON, "traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=1"}


class Traced:
    """A gateway for one agent, and the spans of its runs."""

    def __init__(self, agent: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        options = Options(observers=(RunTracer(self.provider),))
        self.gateway = Gateway({"agent": agent}, options=options)

    def spans(self, headers: dict[str, str] = INCOMING) -> dict[str, ReadableSpan]:
        send(self.gateway, "/agents/agent", headers=headers)
        return {span.name: span for span in self.exporter.get_finished_spans()}


def parent_id(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def span_id(span: ReadableSpan) -> int:
    assert span.context is not None
    id: int = span.context.span_id
    return id


async def busy(ctx: RunContext[Any]) -> None:
    with ctx.step("plan") as step, step.tool_call("search") as call:
        call.args("{}")
        call.end()
        call.result("found")
    with ctx.subagent("helper") as helper, helper.step("read"):
        pass
    ctx.tool_call("front").end()


def test_a_run_is_a_span_below_the_clients() -> None:
    run = Traced(busy).spans()["invoke_agent agent"]
    assert run.context is not None
    assert f"{run.context.trace_id:032x}" == TRACE
    assert f"{parent_id(run):016x}" == PARENT
    attributes = dict(run.attributes or {})
    assert attributes["agui.run.id"] == "r1"
    assert attributes["gen_ai.conversation.id"] == "t1"
    assert attributes["agui.run.result"] == "success"


def test_steps_tools_and_subagents_hang_where_they_belong() -> None:
    spans = Traced(busy).spans()
    run = span_id(spans["invoke_agent agent"])
    assert parent_id(spans["step plan"]) == run
    assert parent_id(spans["execute_tool search"]) == span_id(spans["step plan"])
    assert parent_id(spans["invoke_agent helper"]) == run
    assert parent_id(spans["step read"]) == span_id(spans["invoke_agent helper"])
    assert parent_id(spans["execute_tool front"]) == run


def test_every_span_is_closed_whatever_happens() -> None:
    async def failing(ctx: RunContext[Any]) -> None:
        ctx.step("half")
        raise AgentError("secret text", "BROKEN")

    spans = Traced(failing).spans()
    assert set(spans) == {"invoke_agent agent", "step half"}
    run = spans["invoke_agent agent"]
    assert not run.status.is_ok
    assert dict(run.attributes or {})["error.type"] == "BROKEN"
    assert "secret text" not in run.to_json()


def test_a_run_without_a_traceparent_or_with_a_broken_one_begins_a_trace() -> None:
    for headers in (JSON, {**JSON, "traceparent": "00-zz-1"}):
        assert Traced(busy).spans(headers)["invoke_agent agent"].parent is None


def test_calls_that_leave_are_spans_and_tell_of_themselves() -> None:
    sent: dict[str, str] = {}

    async def calling(ctx: RunContext[Any]) -> None:
        with ctx.step("ask"), outgoing("POST", "https://u:p@host:8443/v1/x?key=planted") as headers:
            sent.update(headers)

    spans = Traced(calling).spans()
    call = spans["POST"]
    assert parent_id(call) == span_id(spans["step ask"])
    assert sent["traceparent"] == f"00-{TRACE}-{span_id(call):016x}-01"
    assert sent["tracestate"] == "vendor=1"
    attributes = dict(call.attributes or {})
    assert attributes["url.full"] == "https://host:8443/v1/x"
    assert (attributes["server.address"], attributes["server.port"]) == ("host", 8443)


def test_a_call_that_fails_says_how_but_not_why() -> None:
    async def calling(ctx: RunContext[Any]) -> None:
        with outgoing("GET", "http://host/"):
            raise OSError("planted text")

    call = Traced(calling).spans()["GET"]
    assert dict(call.attributes or {})["error.type"] == "OSError"
    assert "planted text" not in call.to_json()


def test_the_span_of_the_run_is_current_in_the_agent_alone() -> None:
    seen: list[int] = []

    async def looking(ctx: RunContext[Any]) -> None:
        seen.append(get_current_span().get_span_context().span_id)

    spans = Traced(looking).spans()
    assert seen == [span_id(spans["invoke_agent agent"])]
    assert not get_current_span().get_span_context().is_valid


def test_without_a_tracer_a_call_adds_no_headers() -> None:
    seen: list[dict[str, str]] = []

    async def calling(ctx: RunContext[Any]) -> None:
        with outgoing("GET", "http://host/") as headers:
            seen.append(dict(headers))

    send(Gateway({"agent": calling}), "/agents/agent", headers=INCOMING)
    assert seen == [{}]


@pytest.fixture(autouse=True)
def _no_spans_are_left_current() -> Iterator[None]:
    yield
    assert not get_current_span().get_span_context().is_valid


def test_the_settings_switch_it_on() -> None:
    assert len(Gateway({}, Settings()).watch.observers) == 2
    assert len(Gateway({}, Settings(tracing=Tracing(enabled=True))).watch.observers) == 3
