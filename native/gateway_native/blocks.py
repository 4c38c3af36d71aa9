"""Blocks: what a run has open.

A block is whatever has a start and an end: a text message, a tool call, a reasoning span, a
reasoning message, a step, a subagent. Each of these families is a name space of its own. Blocks of
different ids overlap freely, and a closed message or call may be opened again
(spec: `docs/spec/1.1/basic/patterns/streaming.mdx`). Steps are keyed by owner and name
(spec: `docs/spec/1.1/events/lifecycle.mdx`); an invocation of a subagent takes place once in a
run (spec: `docs/spec/1.1/events/subagents.mdx`).
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    COUNT,
    NAMES,
    REASONING_END,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    REASONING_START,
    STEP_FINISHED,
    STEP_STARTED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_END,
    TOOL_CALL_START,
)

NO_FAMILY: Final = -1
TEXT: Final = 0
CALL: Final = 1
SPAN: Final = 2
REASONING: Final = 3

NOUNS: Final = ["text message", "tool call", "reasoning span", "reasoning message"]
"""What error texts call a block of each family."""


def _families() -> list[int]:
    families = [NO_FAMILY] * COUNT
    for kind in (TEXT_MESSAGE_START, TEXT_MESSAGE_CONTENT, TEXT_MESSAGE_END):
        families[kind] = TEXT
    for kind in (TOOL_CALL_START, TOOL_CALL_ARGS, TOOL_CALL_END):
        families[kind] = CALL
    for kind in (REASONING_START, REASONING_END):
        families[kind] = SPAN
    for kind in (REASONING_MESSAGE_START, REASONING_MESSAGE_CONTENT, REASONING_MESSAGE_END):
        families[kind] = REASONING
    return families


FAMILY_OF: Final = _families()
"""The family that an event of each kind opens, continues or ends; steps and subagents have none."""


STANDS_ALONE: Final = 0
OPENS: Final = 1
CONTINUES: Final = 2
ENDS: Final = 3


def _actions() -> list[int]:
    actions = [STANDS_ALONE] * COUNT
    for kind in (TEXT_MESSAGE_START, TOOL_CALL_START, REASONING_START, REASONING_MESSAGE_START):
        actions[kind] = OPENS
    for kind in (TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, REASONING_MESSAGE_CONTENT):
        actions[kind] = CONTINUES
    for kind in (TEXT_MESSAGE_END, TOOL_CALL_END, REASONING_END, REASONING_MESSAGE_END):
        actions[kind] = ENDS
    return actions


ACTION_OF: Final = _actions()
"""What an event of each kind does to a block of its family."""


class Block:
    """Something open.

    `kind` is the kind of its start event, `id` the id (of a step: the name), `owner` the subagent
    it belongs to (None: the agent itself), `order` a number that grows with each opening.
    """

    def __init__(self, kind: int, id: str, owner: str | None, order: int) -> None:
        self.kind = kind
        self.id = id
        self.owner = owner
        self.order = order

    @property
    def noun(self) -> str:
        """What error texts call it."""
        if self.kind == STEP_STARTED:
            return "step"
        if self.kind == SUBAGENT_STARTED:
            return "subagent"
        return NOUNS[FAMILY_OF[self.kind]]


class Blocks:
    """All that is open in one run. A method that raises has changed nothing."""

    def __init__(self) -> None:
        self.by_family: list[dict[str, Block]] = [{}, {}, {}, {}]
        self.steps: dict[tuple[str | None, str], Block] = {}
        self.subagents: dict[str, Block] = {}
        self.ended_subagents: set[str] = set()
        self._opened = 0

    def require_closed(self, kind: int, id: str) -> None:
        """Raise OrderingError (duplicate-start) if what a start event names is open."""
        family = FAMILY_OF[kind]
        if id in self.by_family[family]:
            raise OrderingError(
                "duplicate-start", NAMES[kind], id, f"{NOUNS[family]} {id!r} is already open"
            )

    def require_open(self, kind: int, id: str) -> None:
        """Raise OrderingError (not-open) if what an event continues or ends is not open."""
        family = FAMILY_OF[kind]
        if id not in self.by_family[family]:
            raise OrderingError("not-open", NAMES[kind], id, f"no {NOUNS[family]} {id!r} is open")

    def open(self, kind: int, id: str, owner: str | None) -> None:
        self.by_family[FAMILY_OF[kind]][id] = self._new(kind, id, owner)

    def close(self, kind: int, id: str) -> None:
        del self.by_family[FAMILY_OF[kind]][id]

    def reopen(self, block: Block) -> None:
        """Take back `close`."""
        self.by_family[FAMILY_OF[block.kind]][block.id] = block

    def open_step(self, name: str, owner: str | None) -> None:
        if (owner, name) in self.steps:
            raise OrderingError(
                "duplicate-start",
                NAMES[STEP_STARTED],
                name,
                f"step {name!r} of {describe_owner(owner)} is already open",
            )
        self.steps[(owner, name)] = self._new(STEP_STARTED, name, owner)

    def close_step(self, name: str, owner: str | None) -> None:
        """End a step; unlike elsewhere, a missing tag is the agent itself."""
        if (owner, name) in self.steps:
            del self.steps[(owner, name)]
            return
        rule = "not-open"
        message = f"no step {name!r} of {describe_owner(owner)} is open"
        for other, other_name in self.steps:
            if other_name == name:
                rule = "wrong-owner"
                message += f"; {describe_owner(other)} has one, who must finish it"
                break
        raise OrderingError(rule, NAMES[STEP_FINISHED], name, message)

    def open_subagent(self, id: str, parent: str | None) -> None:
        """Start an invocation; its id is used once in a run, and its parent has been started."""
        if id in self.subagents or id in self.ended_subagents:
            state = "is already running" if id in self.subagents else "has ended in this run"
            raise OrderingError(
                "duplicate-start", NAMES[SUBAGENT_STARTED], id, f"subagent {id!r} {state}"
            )
        if parent is not None and not self.knows_subagent(parent):
            raise OrderingError(
                "unknown-parent",
                NAMES[SUBAGENT_STARTED],
                id,
                f"the parent {parent!r} of subagent {id!r} was not started in this run",
            )
        self.subagents[id] = self._new(SUBAGENT_STARTED, id, parent)

    def close_subagent(self, kind: int, id: str) -> None:
        if id not in self.subagents:
            raise OrderingError("not-open", NAMES[kind], id, f"no subagent {id!r} is running")
        del self.subagents[id]
        self.ended_subagents.add(id)

    def knows_subagent(self, id: str) -> bool:
        """Whether an invocation of that id was started in this run."""
        return id in self.subagents or id in self.ended_subagents

    def in_order(self) -> list[Block]:
        """All open blocks, the innermost last."""
        blocks: list[Block] = []
        for family in self.by_family:
            blocks.extend(family.values())
        blocks.extend(self.steps.values())
        blocks.extend(self.subagents.values())
        blocks.sort(key=_order)
        return blocks

    def describe(self) -> str:
        """What is open, oldest first, for an error text; "" if nothing is."""
        parts: list[str] = []
        for block in self.in_order():
            parts.append(f"{block.noun} {block.id!r}")
        return ", ".join(parts)

    def _new(self, kind: int, id: str, owner: str | None) -> Block:
        self._opened += 1
        return Block(kind, id, owner, self._opened)


def describe_owner(owner: str | None) -> str:
    """An owner in an error text."""
    return "the agent itself" if owner is None else f"subagent {owner!r}"


def _order(block: Any) -> int:
    order: int = block.order
    return order
