"""Whole streams through the consumer pipeline: what is refused where, and what came out before."""

from gateway.errors import MalformedError, OrderingError
from gateway.protocol.boundary import Boundary
from gateway.protocol.enforcement import enforce
from gateway_native.chunks import ChunkExpander
from gateway_native.verifier import Verifier
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    boundary, expander, verifier = Boundary(), ChunkExpander(), Verifier()
    delivered: list[str] = []
    refused_at = None
    for index, raw in enumerate(row["events"]):
        try:
            event = enforce(boundary.feed(raw))
            for one in expander.feed(event) if event is not None else ():
                verifier.feed(one)
                delivered.append(one.type)
        except (MalformedError, OrderingError):
            refused_at = index
            break
    ours = {"ok": refused_at is None, "error_index": refused_at, "delivered": delivered}
    return difference(ours, {key: row["pipeline"][key] for key in ours})
