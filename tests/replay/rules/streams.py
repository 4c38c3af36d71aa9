"""Conformance streams of the protocol, replayed at version 1.1."""

import json
from typing import Any

from gateway.errors import GatewayError
from gateway.protocol.input import RunAgentInput
from gateway.protocol.input_decoder import prepare_input
from gateway.protocol.notices import Notice
from gateway.protocol.peer import Peer
from gateway.protocol.pipeline import Pipeline
from gateway.protocol.reducer import Reducer
from tests.replay.build import json_of, json_of_event
from tests.replay.verdict import Row, Verdict, difference

DRAFTS = {
    "duplicate-interrupt-id-fatal",
    "run-finished-wrong-run-id-fatal",
    "run-finished-wrong-thread-id-fatal",
    "second-run-on-another-thread-fatal",
    "truncated-stream-fails-the-run",
}
"""Streams that enforce rules of 1.1 which the released reference does not: ids and truncation."""

TRUNCATED = "truncated-run-reported-as-completed"
"""Pins a gap of the reference: a stream without a terminal must be told apart from a completed."""


class Outcome:
    """What a stream came to."""

    def __init__(self, row: Row) -> None:
        self.notices: list[Notice] = []
        self.events: list[Any] = []
        self.failure = ""
        peer = Peer(row.get("client", {}).get("maxProtocolVersion"), self.notices.append)
        self.request = _request(row, peer, self.notices)
        messages = row.get("input", {}).get("messages", [])
        self.reducer = Reducer(_input(messages).messages, {}, self.notices.append)
        self._replay(row, peer)

    def _replay(self, row: Row, peer: Peer) -> None:
        pipeline = Pipeline("1.1", self.notices.append, peer, row["name"] in DRAFTS)
        try:
            for raw in row["stream"]:
                for event in pipeline.feed(raw):
                    self.events.append(event)
                    self.reducer.feed(event)
            pipeline.finish()
        except GatewayError as error:
            self.failure = str(error)


def _input(messages: list[Any]) -> RunAgentInput:
    return prepare_input({"threadId": "t", "runId": "r", "messages": messages}, version="1.1")


def _request(row: Row, peer: Peer, notices: list[Notice]) -> Any:
    given = {"threadId": "t", "runId": "r", "messages": [], **row.get("input", {})}
    if peer.declares_version:
        given["protocolVersion"] = "1.1"
    return json_of(peer.outgoing(prepare_input(given, notices.append, "1.1")))


def check(row: Row) -> Verdict:
    expect = {**row["expect"], **row.get("expectOverrides", {}).get("typescript", {})}
    outcome = Outcome(row)
    if row["name"] == TRUNCATED:
        expect["outcome"] = "failed"
        if not outcome.failure.startswith("truncated"):
            return f"not told as truncated: {outcome.failure!r}"
    ended = "failed" if outcome.failure else "completed"
    if ended != expect["outcome"]:
        return f"{ended} ({outcome.failure}), expected {expect['outcome']}"
    return _events(outcome, expect) or _state(outcome, expect) or _warnings(outcome, expect)


def _events(outcome: Outcome, expect: Row) -> Verdict:
    delivered = [json_of_event(event) for event in outcome.events]
    types = [event["type"] for event in delivered]
    if "eventTypes" in expect and types != expect["eventTypes"]:
        return f"delivered {types}, expected {expect['eventTypes']}"
    unwanted = set(types) & set(expect.get("eventTypesAbsent", []))
    if unwanted:
        return f"delivered {sorted(unwanted)}"
    for path, value in expect.get("eventPaths", {}).items():
        if found := difference(_at(delivered, path), value, path):
            return found
    for path in expect.get("eventAbsentPaths", []):
        if _at(delivered, path) is not MISSING:
            return f"{path} was delivered"
    errors = [event["message"] for event in delivered if event["type"] == "RUN_ERROR"]
    if "runError" in expect and not any(expect["runError"] in message for message in errors):
        return f"RUN_ERROR {errors}, expected {expect['runError']!r}"
    return None


def _state(outcome: Outcome, expect: Row) -> Verdict:
    messages = json_of(outcome.reducer.messages)
    if expect.get("messageCount", len(messages)) != len(messages):
        return f"{len(messages)} messages, expected {expect['messageCount']}"
    for index, message in enumerate(expect.get("messages", [])):
        ours = messages[index] if index < len(messages) else {}
        if found := difference({k: ours.get(k, MISSING) for k in message}, message, f"/{index}"):
            return found
    if "state" in expect:
        return difference(json_of(outcome.reducer.state), expect["state"], "/state")
    return _requested(outcome, expect)


def _requested(outcome: Outcome, expect: Row) -> Verdict:
    wanted = expect.get("request", {})
    ours = {key: outcome.request.get(key, MISSING) for key in wanted}
    present = [key for key in expect.get("requestAbsentPaths", []) if key in outcome.request]
    return difference(ours, wanted, "/request") or (f"sent {present}" if present else None)


def _warnings(outcome: Outcome, expect: Row) -> Verdict:
    told = [json.dumps([n.path, n.message]) for n in outcome.notices]
    if expect.get("noWarnings") and told:
        return f"warned of {told}"
    for wanted in expect.get("warnings", []):
        if not any(wanted in text for text in told):
            return f"no warning names {wanted!r}: {told}"
    return None


MISSING = object()


def _at(value: Any, path: str) -> Any:
    """The value at a dotted path, MISSING if there is none."""
    for step in path.split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return MISSING
    return value
