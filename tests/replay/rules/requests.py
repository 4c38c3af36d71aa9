"""What a session puts on the wire: body, content type and accept as the reference does.

We accept protobuf besides; the rows are held to with a client that reads SSE only.
"""

import asyncio
from typing import Any

from gateway.client import Client
from gateway.errors import GatewayError
from tests.client.upstream import Reply, Upstream, finished, frames, started
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference


def check(row: Row) -> Verdict:
    if row["name"] == "headers-lowercase-accept":
        return NOT_APPLICABLE
    return asyncio.run(_check(row))


async def _check(row: Row) -> Verdict:
    upstream = Upstream(Reply(frames(started(), finished())))
    ceiling = _ceiling(row)
    headers = row["config"].get("headers", {})
    async with (
        upstream.serving(),
        Client(upstream.url, headers=headers, ceiling=ceiling, protobuf=False) as client,
    ):
        failed = False
        try:
            async for _ in client.run(_input(row)):
                pass
        except GatewayError:
            failed = True
        await client.close()
    if "error" in row:
        return None if failed and not upstream.requests else "something was sent"
    (request,) = upstream.requests
    wanted = {name: row["request"]["headers"][name] for name in ("content-type", "accept")}
    ours = {name: request.headers.get(name) for name in wanted}
    return difference(ours, wanted) or difference(request.json, row["request"]["body"])


def _ceiling(row: Row) -> str | None:
    """The version at which the row's client was pinned, which only its name says."""
    name: str = row["name"]
    return name.removeprefix("ceiling-") if name.startswith("ceiling-") else None


def _input(row: Row) -> dict[str, Any]:
    config = row["config"]
    input = {"threadId": "t1", "messages": config.get("initialMessages", []), **row["params"]}
    if row["name"] != "state-set-null-by-snapshot":
        state = config.get("initialState")
        input["state"] = {} if state is None else state
    return input
