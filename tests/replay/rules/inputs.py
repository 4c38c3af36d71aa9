"""Request bodies: accepted or refused, where, what was stripped and what is left.

The expected values are those of the enforcement stage alone; the translation of retired parts that
comes ahead of it is a stage of its own, so it is switched off here.
"""

import json
from collections.abc import Iterator
from typing import Any

from gateway.errors import DecodeError, MalformedError
from gateway.protocol.input_decoder import decode_input
from gateway.protocol.notices import Notice
from gateway.protocol.values import encode_value
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    expected = row.get("ts_outgoing") or row["ts"]
    text = row["raw"] if "raw" in row else json.dumps(row["body"])
    notices: list[Notice] = []
    try:
        ours = decode_input(text, notices.append, upgrade=False)
    except DecodeError as error:
        return f"refused: {error}" if expected["ok"] else None
    except MalformedError as error:
        return f"refused: {error}" if expected["ok"] else _misplaced(error.pointer, row)
    if not expected["ok"]:
        return f"accepted, expected {expected.get('error')}"
    stripped = {notice.path for notice in notices if notice.code == "unknown-member"}
    if stripped != set(expected.get("stripped", [])):
        return f"stripped {sorted(stripped)}, expected {expected.get('stripped')}"
    plain = json.loads(encode_value(ours))
    return difference(_complete(plain), _complete(expected.get("output") or json.loads(text)))


def _complete(value: dict[str, Any]) -> dict[str, Any]:
    return {"tools": [], "context": [], **value}


def _misplaced(pointer: str, row: Row) -> Verdict:
    """A difference unless some error of the reference lies at the pointer or below it."""
    places = [place.rstrip("/") for place in _places(row)]
    if any(place == pointer or place.startswith(f"{pointer}/") for place in places):
        return None
    return f"refused at {pointer!r}, expected one of {places}"


def _places(row: Row) -> Iterator[str]:
    for reference in (row["python"], row["ts"]):
        for error in reference.get("errors", []):
            yield error["path"]
            container, _, last = error["path"].rpartition("/")
            if error.get("loc", [])[-2:-1] == [last]:  # the arm `text` taken for the member `text`
                yield f"{container}/{error['loc'][-1]}"
