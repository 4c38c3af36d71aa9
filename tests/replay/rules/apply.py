"""Reduction of events to messages, state and pending interrupts."""

from typing import Any

from gateway.errors import GatewayError
from gateway.protocol.base import UNSET
from gateway.protocol.reducer import Reducer
from tests.replay.build import event_of, json_of, messages_of, state_of
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference


def check(row: Row) -> Verdict:
    if row.get("js_quirk"):
        return NOT_APPLICABLE
    initial = row["initial"]
    reducer = Reducer(messages_of(initial["messages"]), state_of(initial))
    failed = False
    for raw in row["events"]:
        try:
            event = event_of(raw)
            if event is not None:
                reducer.feed(event)
        except GatewayError:
            failed = True
            break
    if failed != ("error" in row):
        return f"failed: {failed}, expected error {row.get('error')!r}"
    return difference(_final(reducer), row["final"])


def _final(reducer: Reducer) -> dict[str, Any]:
    final = {"messages": json_of(reducer.messages)}
    if reducer.state is not UNSET:
        final["state"] = json_of(reducer.state)
    if reducer.pending_interrupts:
        final["pending_interrupts"] = json_of(reducer.pending_interrupts)
    return final
