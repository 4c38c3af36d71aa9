"""Responses of a real server, read by a session: messages, state, interrupts, and whether it fails.

A stream without a terminal event must raise the truncation error, where the reference resolves.
"""

import asyncio
import base64
from typing import Any

from gateway.client import Client, Session
from gateway.errors import GatewayError, TruncatedRunError
from gateway.protocol.input import ResumeEntry
from gateway.protocol.outcomes import Interrupt
from tests.client.upstream import Reply, Upstream
from tests.replay.build import json_of
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference

PENDING: dict[str, list[Interrupt]] = {
    "resume/missing-coverage-blocks-before-send": [Interrupt("i1", "r"), Interrupt("i2", "q")],
    "resume/expired-resolved-blocks": [
        Interrupt("i1", "r", expires_at="2000-01-01T00:00:00Z"),
    ],
    "resume/expired-cancelled-ok": [Interrupt("i1", "r", expires_at="2000-01-01T00:00:00Z")],
    "resume/unparseable-expiry-never-expires": [Interrupt("i1", "r", expires_at="soon")],
    "resume/pending-cleared-only-by-success-not-error": [Interrupt("i1", "r")],
}
"""What is pending before the run; the rows show it only afterwards."""

CANCELLED = ("resume/expired-cancelled-ok",)


def check(row: Row) -> Verdict:
    if "scripted" in row["response"]:
        return NOT_APPLICABLE
    return asyncio.run(_check(row))


async def _check(row: Row) -> Verdict:
    upstream = Upstream(_reply(row))
    async with upstream.serving(), Client(upstream.url) as client:
        session = Session(client, "t1", interrupts=PENDING.get(row["name"], ()))
        error = await _run(session, row["name"])
        await client.close()
        sent = len(upstream.requests)
    if sent != row["requests_sent"]:
        return f"{sent} requests"
    return _judge(row, error) or difference(_kept(session), _expected(row))


async def _run(session: Session, name: str) -> GatewayError | None:
    status: Any = "cancelled" if name in CANCELLED else "resolved"
    entries = [ResumeEntry("i1", status)] if name in PENDING else []
    try:
        async for _ in session.run(entries, "r1"):
            pass
    except GatewayError as error:
        return error
    return None


def _reply(row: Row) -> Reply:
    response = row["response"]
    pieces = [base64.b64decode(piece) for piece in response["body_b64_chunks"]]
    broken = response.get("connection_destroyed_after_body")
    bodiless = response["status"] == 204
    return Reply(
        pieces,
        response["status"],
        response["headers"],
        "reset" if broken else "close",
        chunked=not bodiless,
    )


def _judge(row: Row, error: GatewayError | None) -> Verdict:
    truncated = row["name"].startswith("truncated/") or row["name"] == TYPED
    if truncated:
        return None if isinstance(error, TruncatedRunError) else f"not truncated: {error!r}"
    if (error is None) != (row["promise"] == "resolved"):
        return f"{row['promise']}, ours {error!r}"
    return None


TYPED = "bad/proto-content-type-with-param"
"""A type that is not the binding's exactly makes the body SSE, which then has no terminal."""


def _kept(session: Session) -> dict[str, Any]:
    kept = {"messages": json_of(session.messages), "state": json_of(session.state)}
    if session.pending_interrupts:
        kept["pending_interrupts"] = json_of(session.pending_interrupts)
    return kept


def _expected(row: Row) -> dict[str, Any]:
    return {key: row[key] for key in ("messages", "state", "pending_interrupts") if key in row}
