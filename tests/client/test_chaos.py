"""An upstream that does everything wrong, behind a gateway; each viewer gets a lawful stream.

Each scenario also fails if a task, a connection or an unread exception is left behind (`run` and
`Upstream.serving` see to that).
"""

import asyncio
import gc
import logging
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.client import Bounds
from tests.client.gateway import Front, code, fronted, same
from tests.client.upstream import Reply, Request, Upstream, finished, frames, started, text
from tests.server.asgi import run

RUN_EVENTS: list[dict[str, Any]] = [
    started(),
    {"type": "STEP_STARTED", "stepName": "s"},
    *text(*"abcde"),
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "find"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"city":"Seoul 서울"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "STEP_FINISHED", "stepName": "s"},
    {"type": "STATE_SNAPSHOT", "snapshot": {"a": [1, None]}},
    finished(outcome={"type": "success"}),
]
RECORDED = b"".join(frames(*RUN_EVENTS))
WHOLE = len(RECORDED) - 2
"""From here on only the blank line is missing, which the last frame does not need."""

BOUNDS = Bounds(first_event=0.3, idle=0.3, linger=0.1, frame=4096, events=400)

CODES = {
    "",
    "UPSTREAM_TRUNCATED",
    "UPSTREAM_VIOLATION",
    "UPSTREAM_LIMIT",
    "UPSTREAM_TIMEOUT",
    "UPSTREAM_NO_STREAM",
}


class Script:
    """An upstream whose next reply is set from outside."""

    def __init__(self) -> None:
        self.reply: Reply | None = None
        self.upstream = Upstream(answer=self._answer)

    def _answer(self, request: Request) -> Reply | None:
        return self.reply


async def _view(front: Front, script: Script, reply: Reply) -> str:
    script.reply = reply
    return code(await front.view())


def test_a_cut_at_every_byte_is_truncation_and_never_a_finish() -> None:
    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1) as front:
            for cut in range(len(RECORDED) + 1):
                front.agent.upstreams.all[0].succeeded()
                found = await _view(front, script, Reply([RECORDED[:cut]]))
                assert found == ("" if cut >= WHOLE else "UPSTREAM_TRUNCATED"), cut

    run(scenario())


def test_a_broken_connection_at_any_byte_is_no_finish_either() -> None:
    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1) as front:
            for cut in range(0, len(RECORDED) + 1, 3):
                front.agent.upstreams.all[0].succeeded()
                reply = Reply([RECORDED[:cut]], end="reset")
                found = await _view(front, script, reply)
                allowed = {"UPSTREAM_TRUNCATED"} | ({""} if cut == len(RECORDED) else set())
                assert found in allowed, cut

    run(scenario())


def test_delays_between_any_two_pieces_change_nothing() -> None:
    async def scenario() -> None:
        chance = random.Random(5)
        script = Script()
        async with fronted(script.upstream) as front:
            for _ in range(20):
                edges = sorted({0, len(RECORDED), *chance.sample(range(len(RECORDED)), 12)})
                pieces = [RECORDED[a:b] for a, b in pairwise(edges)]
                script.reply = Reply(pieces, pause=chance.randint(1, 9))
                assert same(await front.view(), RUN_EVENTS)

    run(scenario())


@settings(max_examples=50)
@given(st.data())
def test_garbage_anywhere_gives_a_lawful_stream_with_a_known_code(data: st.DataObject) -> None:
    """Bytes replaced, removed, doubled, or put in: the viewer's stream is checked in any case."""
    body = bytearray(RECORDED)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body)))
        removed = data.draw(st.integers(0, 90))
        body[at : at + removed] = data.draw(
            st.one_of(
                st.binary(max_size=20),
                st.sampled_from([*frames(*RUN_EVENTS), b"\n\n", b"\r\n", b'"', b"data: ", b"}"]),
            )
        )

    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1, bounds=BOUNDS) as front:
            assert await _view(front, script, Reply([bytes(body)])) in CODES

    run(scenario())


def test_wrong_ids_at_every_event_are_violations_or_say_nothing_false() -> None:
    """Each event in turn refers to something else."""
    wrong = {"messageId": "mX", "toolCallId": "cX", "runId": "rX", "threadId": "tX"}
    wrong["stepName"] = "sX"

    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1) as front:
            for index, event in enumerate(RUN_EVENTS):
                changed = {k: wrong.get(k, v) for k, v in event.items()}
                if changed == event:
                    continue
                front.agent.upstreams.all[0].succeeded()
                sent = [*RUN_EVENTS[:index], changed, *RUN_EVENTS[index + 1 :]]
                found = await _view(front, script, Reply(frames(*sent)))
                assert found == "UPSTREAM_VIOLATION", event

    run(scenario())


def test_endless_streams_are_cut_off() -> None:
    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1, bounds=BOUNDS) as front:
            endless_events = Reply(frames(started(), *text(*["x"] * 1000)), end="hang")
            assert await _view(front, script, endless_events) == "UPSTREAM_LIMIT"
            endless_frame = Reply([*frames(started()), b"data: ", *[b"y" * 1000] * 9], end="hang")
            assert await _view(front, script, endless_frame) == "UPSTREAM_LIMIT"
            comments = Reply([b": ping\n\n"] * 50, end="hang")
            assert await _view(front, script, comments) == "UPSTREAM_TIMEOUT"

    run(scenario())


def test_many_faulty_runs_leave_no_memory(caplog: pytest.LogCaptureFixture) -> None:
    """Objects that the collector knows: as many after 200 faulty runs as after 50."""
    replies = [
        Reply([RECORDED]),
        Reply([RECORDED[:400]]),
        Reply([RECORDED[:400]], end="reset"),
        Reply([RECORDED[:200], b"data: {]\n\n"]),
        Reply([b"x" * 9000], end="hang"),
        Reply([], 500),
        Reply(end="refuse"),
    ]

    async def scenario() -> None:
        script = Script()
        async with fronted(script.upstream, attempts=1, bounds=BOUNDS) as front:

            async def runs(count: int) -> int:
                for n in range(count):
                    front.agent.upstreams.all[0].succeeded()
                    await _view(front, script, replies[n % len(replies)])
                script.upstream.requests.clear()
                await asyncio.sleep(0)
                gc.collect()
                return len(gc.get_objects())

            await runs(49)
            before = await runs(49)
            assert await runs(147) - before < 200

    with caplog.at_level(logging.CRITICAL, "gateway"):  # records hold faults, which hold frames
        run(scenario())
