"""Compaction of finished streams."""

from gateway.protocol.compaction import compact
from tests.replay.build import event_of, json_of_event
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    events = [event for event in map(event_of, row["events"]) if event is not None]
    return difference([json_of_event(event) for event in compact(events)], row["compacted"])
