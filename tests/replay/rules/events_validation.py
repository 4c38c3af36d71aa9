"""Single events through boundary and enforcement: verdict, delivered event, stripped paths."""

import json
import re
from typing import Any

import msgspec

from gateway.errors import MalformedError
from gateway.protocol.boundary import Boundary
from gateway.protocol.enforcement import enforce
from gateway.protocol.notices import Notice
from tests.replay.verdict import Row, Verdict, difference

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def check(row: Row) -> Verdict:
    client = row["client"]
    notices: list[Notice] = []
    before = json.dumps(row["event"])
    try:
        event = enforce(Boundary(notices.append).feed(row["event"]), notices.append)
    except MalformedError as error:
        return None if client["verdict"] == "fatal" else f"refused: {error}"
    if json.dumps(row["event"]) != before:
        return "the event given was changed"
    verdict = "dropped" if event is None else "delivered"
    if verdict != client["verdict"]:
        return f"{verdict}, expected {client['verdict']}: {client.get('error')}"
    stripped = {notice.path for notice in notices if notice.code == "unknown-member"}
    if stripped != set(client.get("stripped", [])):
        return f"stripped {sorted(stripped)}, expected {client.get('stripped')}"
    if event is None:
        return None
    return difference(_plain(event), _anonymous(client.get("delivered", row["event"])))


def _plain(event: object) -> Any:
    return json.loads(UUID.sub("<uuid>", msgspec.json.encode(event).decode()))


def _anonymous(value: Any) -> Any:
    return json.loads(re.sub(r"<uuid-\d+>", "<uuid>", json.dumps(value)))
