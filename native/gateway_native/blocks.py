"""Blocks: what a stream has open, by family.

A block is whatever has a start and an end: a text message, a tool call, a reasoning span, a
reasoning message, a step, a subagent. The same id may be open in several families at once.
"""

from __future__ import annotations

from typing import Final

from gateway_native.kinds import (
    COUNT,
    REASONING_END,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    REASONING_START,
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
STEP: Final = 4
SUBAGENT: Final = 5
FAMILIES: Final = 6

NOUNS: Final = [
    "text message",
    "tool call",
    "reasoning span",
    "reasoning message",
    "step",
    "subagent",
]


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
"""The family that an event of each kind opens, continues or ends, for the first four families."""


class Block:
    """Something open: the kind that opened it, its id (a step: its name), its owner, its order."""

    def __init__(self, kind: int, id: str, owner: str | None, order: int) -> None:
        self.kind = kind
        self.id = id
        self.owner = owner
        self.order = order


class Blocks:
    """All that is open in one run."""

    def __init__(self) -> None:
        self.messages: dict[str, Block] = {}
        self.calls: dict[str, Block] = {}
        self.spans: dict[str, Block] = {}
        self.reasoning: dict[str, Block] = {}
        self.by_family: list[dict[str, Block]] = [
            self.messages,
            self.calls,
            self.spans,
            self.reasoning,
        ]
        self.steps: dict[tuple[str | None, str], Block] = {}
        self.subagents: dict[str, Block] = {}
        self._opened = 0

    def open(self, family: int, kind: int, id: str, owner: str | None) -> None:
        self._opened += 1
        self.by_family[family][id] = Block(kind, id, owner, self._opened)

    def open_step(self, name: str, owner: str | None) -> None:
        self._opened += 1
        self.steps[(owner, name)] = Block(STEP_STARTED, name, owner, self._opened)

    def open_subagent(self, id: str) -> None:
        self._opened += 1
        self.subagents[id] = Block(SUBAGENT_STARTED, id, None, self._opened)

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
            parts.append(f"{_noun(block.kind)} {block.id!r}")
        return ", ".join(parts)


def _order(block: Block) -> int:
    return block.order


def _noun(kind: int) -> str:
    if kind == STEP_STARTED:
        return NOUNS[STEP]
    if kind == SUBAGENT_STARTED:
        return NOUNS[SUBAGENT]
    return NOUNS[FAMILY_OF[kind]]
