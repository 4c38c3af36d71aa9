"""Servers of others behind the gateway, seen by the official TypeScript client: nothing changes.

Each run is driven twice, straight and through the gateway, and the two outcomes are compared: all
events, messages, state, results, warnings. Ids that a server mints anew for each run are compared
by the order of their first appearance.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client import foreign
from tests.peer import client
from tests.served import Served

if client.unavailable() and os.environ.get("CI") != "true":
    pytest.skip(str(client.unavailable()), allow_module_level=True)

MINTED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|pyd_ai_\w+")


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    with foreign.serving() as url:
        yield url


@pytest.fixture(scope="module")
def mock() -> Iterator[str]:
    with subprocess.Popen(
        ["node", "mock.mjs"],
        cwd=client.HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.fixture(scope="module")
def gateway(python: str, mock: str) -> Iterator[str]:
    env = {**os.environ, "PYTHON_UPSTREAM": python, "MOCK_UPSTREAM": mock}
    with Served("tests.client.target:AGENTS", env=env) as served:
        yield f"{served.url}/agents"


def _drive(url: str, text: str, **scenario: Any) -> dict[str, Any]:
    turn = {"user": {"id": "u1", "content": text}, "run": {"runId": "r1"}}
    return client.drive({"url": url, "threadId": "t1", "turns": [turn], **scenario})


def _normal(outcome: dict[str, Any], mints_run: bool = False) -> Any:
    """The outcome without what may differ: minted ids, times, and the gateway's own version."""
    (turn,) = outcome["turns"]
    for event in [*turn["events"], turn.get("runError", {})]:
        event.pop("timestamp", None)
        if event.get("type") == "RUN_STARTED":
            event.pop("protocolVersion", None)
        if mints_run and "runId" in event:
            event.update(runId="r1", threadId="t1")
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"id-{len(names)}")

    return json.loads(MINTED.sub(rename, json.dumps(outcome)))


@pytest.mark.parametrize("name", ["tour", "failing"])
def test_the_official_python_encoder_behind_fastapi(name: str, python: str, gateway: str) -> None:
    straight = _normal(_drive(f"{python}/encoder/{name}", "go"))
    through = _normal(_drive(f"{gateway}/{name}", "go"))
    assert len(straight["turns"][0]["events"]) >= 4
    if name == "failing":  # the gateway ends the message that the error leaves open
        (end,) = [e for e in through["turns"][0]["events"] if e["type"] == "TEXT_MESSAGE_END"]
        through["turns"][0]["events"].remove(end)
    assert through == straight


def test_the_adapter_of_pydantic_ai(python: str, gateway: str) -> None:
    straight = _normal(_drive(f"{python}/pydantic", "weather?"))
    through = _normal(_drive(f"{gateway}/pydantic", "weather?"))
    kinds = {event["type"] for event in through["turns"][0]["events"]}
    assert {"TOOL_CALL_RESULT", "TEXT_MESSAGE_CONTENT", "RUN_FINISHED"} <= kinds
    assert through == straight


@pytest.mark.parametrize("text", ["tool", "reason", "chunks", "error", "state"])
def test_the_mock_of_copilotkit(text: str, mock: str, gateway: str) -> None:
    state: Any = {"state": {"visited": []}} if text == "state" else {}
    straight = _normal(_drive(f"{mock}/", text, **state), mints_run=True)
    through = _normal(_drive(f"{gateway}/mock", text, **state), mints_run=True)
    assert len(straight["turns"][0]["events"]) >= 2
    assert through == straight
