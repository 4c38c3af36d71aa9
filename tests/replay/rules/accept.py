"""accept: the content type is the reference's, but text is right unless protobuf is named."""

from gateway.errors import RefusedError
from gateway.server.negotiation import CONTENT_TYPES, media_ranges, negotiate
from tests.replay.verdict import Row, Verdict


def check(row: Row) -> Verdict:
    accept: str | None = row["accept"]
    try:
        ours = CONTENT_TYPES[negotiate(accept)]
    except RefusedError:
        ours = CONTENT_TYPES["sse"]
    if ours == row["content_type"] or (ours == CONTENT_TYPES["sse"] and not _names(accept)):
        return None
    return f"ours {ours} != {row['content_type']}"


def _names(accept: str | None) -> bool:
    named = [f"{each.type}/{each.subtype}" for each in media_ranges(accept or "")]
    return CONTENT_TYPES["protobuf"] in named
