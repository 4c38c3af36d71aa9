"""Frames of the official Python encoder, byte for byte except for the place of the envelope.

Theirs keeps undeclared members, which our Structs cannot hold: they are cut out of the expected
text, whose other bytes stay as they are.
"""

import json

import msgspec

from gateway.protocol.encoder import encode_sse
from gateway_native.escape import escape_line_separators
from tests.replay.build import event_of, undeclared_in
from tests.replay.verdict import Row, Verdict

ENVELOPE = ("timestamp", "rawEvent", "metadata", "subagentRunId")
HEAD, TAIL = b"data: ", b"\n\n"


def check(row: Row) -> Verdict:
    event = event_of(row["event"])
    if event is None:
        return "no such event"
    ours = encode_sse(event)
    theirs = escape_line_separators(row["sse"].encode())
    if ours[:6] != HEAD or ours[-2:] != TAIL:
        return f"no frame: {ours!r:.200}"
    return _compare(ours[6:-2], _without(theirs[6:-2], undeclared_in(row["event"]), ""))


def _compare(ours: bytes, theirs: bytes) -> Verdict:
    own, envelope = _parts(ours)
    their_own, their_envelope = _parts(theirs)
    if own != their_own:
        return f"ours {own!r:.500} != {their_own!r:.500}"
    if envelope != their_envelope:
        return f"ours {envelope!r:.500} != {their_envelope!r:.500}"
    return None


def _parts(text: bytes) -> tuple[list[tuple[str, bytes]], dict[str, bytes]]:
    """The texts of an event's own members in order, and those of its envelope by name."""
    members = _members(text)
    own = [(name, member) for name, member in members.items() if name not in ENVELOPE]
    return own, {name: member for name, member in members.items() if name in ENVELOPE}


def _members(text: bytes) -> dict[str, bytes]:
    raws = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    return {name: bytes(raw) for name, raw in raws.items()}


def _without(text: bytes, pointers: set[str], at: str) -> bytes:
    """A JSON text without the values at the pointers."""
    if not any(pointer.startswith(f"{at}/") for pointer in pointers):
        return text
    if text.startswith(b"["):
        raws = msgspec.json.decode(text, type=list[msgspec.Raw])
        elements = [
            _without(bytes(raw), pointers, f"{at}/{index}")
            for index, raw in enumerate(raws)
            if f"{at}/{index}" not in pointers
        ]
        return b"[" + b",".join(elements) + b"]"
    members = [
        json.dumps(name, ensure_ascii=False).encode() + b":" + _without(member, pointers, place)
        for name, member in _members(text).items()
        if (place := f"{at}/{name.replace('~', '~0').replace('/', '~1')}") not in pointers
    ]
    return b"{" + b",".join(members) + b"}"
