"""A plain model of the ordering rules, to compare the verifier with.

It says for each event which rule refuses it, and is written to be read next to the pages
`docs/spec/1.1/basic/patterns/streaming.mdx` and `docs/spec/1.1/events/*.mdx`: sets, dicts and event
names, no tables, no caches. Chunks are expanded on a copy, which is adopted if all of it is lawful.
"""

import copy
from typing import Any

from gateway.errors import OrderingError
from gateway.protocol.base import UNSET
from gateway_native.chunks import ChunkExpander
from gateway_native.kinds import NAMES

BLOCKS = {
    "TEXT_MESSAGE_START": ("text", "opens"),
    "TEXT_MESSAGE_CONTENT": ("text", "continues"),
    "TEXT_MESSAGE_END": ("text", "ends"),
    "TOOL_CALL_START": ("call", "opens"),
    "TOOL_CALL_ARGS": ("call", "continues"),
    "TOOL_CALL_END": ("call", "ends"),
    "REASONING_START": ("span", "opens"),
    "REASONING_END": ("span", "ends"),
    "REASONING_MESSAGE_START": ("reasoning", "opens"),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "continues"),
    "REASONING_MESSAGE_END": ("reasoning", "ends"),
}
CHUNKS = {
    "text": "TEXT_MESSAGE_CHUNK",
    "call": "TOOL_CALL_CHUNK",
    "reasoning": "REASONING_MESSAGE_CHUNK",
}
OWNER_SPACE = {"text": "message", "call": "call", "span": "reasoning", "reasoning": "reasoning"}
ROLE_SPACE = {"reasoning": "reasoning", "activity": "activity"}


class Model:
    """The rules of one stream; the arguments are those of `Verifier`."""

    def __init__(
        self,
        producer: bool = False,
        agreement: bool = False,
        thread_id: str | None = None,
        run_id: str | None = None,
        known_calls: list[str] | None = None,
    ) -> None:
        self.producer = producer
        self.agreement = agreement or producer
        self.thread_id = thread_id
        self.wanted_run = run_id
        self.history = set(known_calls or [])
        self.phase = "idle"
        self.run: str | None = None
        self.expander = ChunkExpander()
        self.forget()

    def forget(self) -> None:
        """What is open, and who owns what: all that a new run starts without."""
        self.open: list[tuple[str, Any]] = []
        self.ended_subagents: set[str] = set()
        self.owners: dict[tuple[str, Any], str | None] = {}

    def feed(self, event: Any) -> str | None:
        """None and the event counts, or the name of the rule that it breaks and nothing changes."""
        rule = self.misplaced(event.type)
        if rule:
            return rule
        trial = copy.copy(self)
        trial.expander = ChunkExpander()
        trial.expander.lanes = self.expander.lanes
        trial.open = list(self.open)
        try:
            expanded = trial.expander.feed(event)
        except OrderingError as error:
            return error.rule
        if event.type == "RUN_ERROR":
            expanded = [event]
        for one in expanded:
            rule = trial.apply(one, last=one is event)
            if rule:
                return rule
        self.__dict__.update(trial.__dict__)
        return None

    def misplaced(self, name: str) -> str | None:
        if self.phase == "idle" and name not in ("RUN_STARTED", "RUN_ERROR"):
            return "not-started"
        if self.phase == "active" and name == "RUN_STARTED":
            return "duplicate-run-started"
        if self.phase == "finished" and name not in ("RUN_STARTED", "RUN_ERROR"):
            return "run-ended"
        if self.phase == "errored" and name != "RUN_STARTED":
            return "run-ended"
        return None

    def apply(self, event: Any, last: bool) -> str | None:
        if event.type in BLOCKS:
            family, action = BLOCKS[event.type]
            id = event.tool_call_id if family == "call" else event.message_id
            if last and action == "ends" and self.is_chunked(family, id):
                return "not-open"
            rule: str | None = getattr(self, action)(event, family, id)
        else:
            rule = getattr(self, event.type.lower(), self.unordered)(event)
        return rule

    def is_chunked(self, family: str, id: str) -> bool:
        items = self.expander.lanes.values()
        return any(NAMES[item.kind] == CHUNKS.get(family) and item.id == id for item in items)

    def open_explicitly(self) -> list[tuple[str, Any]]:
        """What needs an end event, the oldest first."""
        return [(family, id) for family, id in self.open if not self.is_chunked(family, id)]

    # Blocks.

    def opens(self, event: Any, family: str, id: str) -> str | None:
        if (family, id) in self.open:
            return "duplicate-start"
        tag = tag_of(event)
        key = (OWNER_SPACE[family], id)
        claims = [self.owners[key]] if key in self.owners else []
        inherited = tag
        parent = ("message", event.parent_message_id if family == "call" else UNSET)
        if parent in self.owners:
            inherited = self.owners[parent]
            claims.append(inherited)
        if tag is not None:
            claims.append(tag)
        if len(set(claims)) > 1:
            return "wrong-owner"
        self.owners = {key: inherited, **self.owners}
        self.open.append((family, id))
        return None

    def continues(self, event: Any, family: str, id: str) -> str | None:
        if (family, id) not in self.open:
            return "not-open"
        return self.disagrees(event, OWNER_SPACE[family], id)

    def ends(self, event: Any, family: str, id: str) -> str | None:
        rule = self.continues(event, family, id)
        if not rule:
            self.open.remove((family, id))
        return rule

    def disagrees(self, event: Any, space: str, id: str) -> str | None:
        tag = tag_of(event)
        known = (space, id) in self.owners
        return (
            "wrong-owner" if tag is not None and known and self.owners[space, id] != tag else None
        )

    def step_started(self, event: Any) -> str | None:
        step = ("step", (tag_of(event), event.step_name))
        if step in self.open:
            return "duplicate-start"
        self.open.append(step)
        return None

    def step_finished(self, event: Any) -> str | None:
        step = ("step", (tag_of(event), event.step_name))
        if step in self.open:
            self.open.remove(step)
            return None
        names = [key[1] for family, key in self.open if family == "step"]
        return "wrong-owner" if event.step_name in names else "not-open"

    def subagent_started(self, event: Any) -> str | None:
        id, parent = event.subagent_run_id, event.parent_subagent_run_id
        if ("subagent", id) in self.open or id in self.ended_subagents:
            return "duplicate-start"
        known = ("subagent", parent) in self.open or parent in self.ended_subagents
        if parent is not UNSET and not known:
            return "unknown-parent"
        self.open.append(("subagent", id))
        return None

    def subagent_finished(self, event: Any) -> str | None:
        if ("subagent", event.subagent_run_id) not in self.open:
            return "not-open"
        self.open.remove(("subagent", event.subagent_run_id))
        self.ended_subagents = self.ended_subagents | {event.subagent_run_id}
        return None

    subagent_error = subagent_finished

    # What stands alone.

    def unordered(self, event: Any) -> None:
        """State, raw and custom events."""

    def tool_call_result(self, event: Any) -> str | None:
        call = event.tool_call_id
        if self.producer and ("call", call) in self.open:
            return "out-of-order"
        if self.producer and call not in self.history and ("call", call) not in self.owners:
            return "unknown-id"
        self.owners = {**self.owners, ("message", event.message_id): tag_of(event)}
        return None

    def activity_snapshot(self, event: Any) -> None:
        key = ("activity", event.message_id)
        if event.replace is not False or key not in self.owners:
            self.owners = {**self.owners, key: tag_of(event)}

    def activity_delta(self, event: Any) -> str | None:
        return self.disagrees(event, "activity", event.message_id)

    def reasoning_encrypted_value(self, event: Any) -> str | None:
        if event.subtype == "tool-call":
            return self.disagrees(event, "call", event.entity_id)
        if ("message", event.entity_id) in self.owners:
            return self.disagrees(event, "message", event.entity_id)
        return self.disagrees(event, "reasoning", event.entity_id)

    def messages_snapshot(self, event: Any) -> None:
        for message in event.messages:
            self.owners = {**self.owners, **owners_in(message)}

    # Runs.

    def run_started(self, event: Any) -> str | None:
        if self.agreement and self.thread_id not in (None, event.thread_id):
            return "wrong-run"
        self.forget()
        self.phase = "active"
        self.run = event.run_id
        if self.agreement:
            self.thread_id = event.thread_id
        for message in event.input.messages if event.input is not UNSET else []:
            self.owners = {**owners_in(message), **self.owners}
        return None

    def run_finished(self, event: Any) -> str | None:
        if self.agreement and (event.thread_id, event.run_id) != (self.thread_id, self.run):
            return "wrong-run"
        ids = [interrupt.id for interrupt in getattr(event.outcome, "interrupts", [])]
        if self.agreement and len(set(ids)) < len(ids):
            return "duplicate-interrupt"
        if self.open:
            return "open-at-finish"
        self.phase = "finished"
        return None

    def run_error(self, event: Any) -> None:
        self.open = []
        self.phase = "errored"

    def finish(self) -> str | None:
        if self.phase in ("idle", "active"):
            return "truncated"
        if self.agreement and self.wanted_run is not None and self.run is not None:
            return None if self.run == self.wanted_run else "wrong-run"
        return None


def tag_of(event: Any) -> str | None:
    tag: str | None = None if event.subagent_run_id is UNSET else event.subagent_run_id
    return tag


def owners_in(message: Any) -> dict[tuple[str, str], str | None]:
    """Who owns a message and, under the same owner, its tool calls."""
    owner = tag_of(message)
    owners = {(ROLE_SPACE.get(message.role, "message"), message.id): owner}
    if message.role == "assistant" and message.tool_calls is not UNSET:
        owners |= {("call", call.id): owner for call in message.tool_calls}
    return owners
