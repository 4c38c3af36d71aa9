"""Which events may follow which: a minimal verifier."""

from __future__ import annotations

from typing import Any

from gateway_native import kinds
from gateway_native.errors import OrderingError


class Block:
    """Something open: the kind that opened it, its id (or step name) and the owner's tag."""

    def __init__(self, kind: int, id: str, owner: str | None) -> None:
        self.kind = kind
        self.id = id
        self.owner = owner


def _id(event: Any, kind: int) -> str:
    name = "tool_call_id" if kind in (3, 4, 5) else "message_id"
    if kind in (14, 15):
        name = "step_name"
    elif kind in (16, 17, 18):
        name = "subagent_run_id"
    return str(getattr(event, name))


OPENERS: dict[int, int] = {0: 0, 3: 3, 14: 14, 16: 16, 24: 24, 25: 25}
CONTENT: dict[int, int] = {1: 0, 4: 3, 26: 25}
ENDS: dict[int, int] = {2: 0, 5: 3, 15: 14, 17: 16, 18: 16, 27: 25, 29: 24}


class Verifier:
    def __init__(
        self, producer: bool = False, thread_id: str | None = None, run_id: str | None = None
    ) -> None:
        self.producer = producer
        self.thread_id = thread_id
        self.run_id = run_id
        self.phase = 0
        self.last: str | None = None
        self.open: dict[tuple[int, str], Block] = {}

    def fresh(self) -> Verifier:
        return Verifier(self.producer, self.thread_id, self.run_id)

    def open_blocks(self) -> list[Block]:
        return list(self.open.values())

    def check_delta(self, kind: int, id: str) -> None:
        if self.phase != 1:
            raise OrderingError("not-started", kinds.NAMES[kind], id, "not running")
        if (CONTENT[kind], id) not in self.open:
            raise OrderingError("not-open", kinds.NAMES[kind], id, f"nothing open under {id!r}")

    def feed(self, event: Any) -> None:
        kind: int = event.kind
        if kind == 1 and self.phase == 1:
            id: str = event.message_id
            if id is self.last:
                return
            self.check_delta(kind, id)
            self.last = id
            return
        self.last = None
        self._feed(event, kind)

    def _feed(self, event: Any, kind: int) -> None:
        name = kinds.NAMES[kind]
        if self.phase == 2:
            raise OrderingError("run-ended", name, "", "the run has ended")
        if kind == kinds.RUN_ERROR:
            self.phase = 2
        elif kind == kinds.RUN_STARTED:
            if self.phase == 1:
                raise OrderingError("duplicate-run-started", name, "", "already started")
            self.phase = 1
        elif self.phase == 0:
            raise OrderingError("not-started", name, "", "first event must be RUN_STARTED")
        elif kind == kinds.RUN_FINISHED:
            if self.open:
                raise OrderingError("open-at-finish", name, "", "something is open")
            self.phase = 2
        elif kind in CONTENT:
            self.check_delta(kind, _id(event, kind))
        elif kind in OPENERS:
            key = (kind, _id(event, kind))
            if key in self.open:
                raise OrderingError("duplicate-start", name, key[1], "already open")
            owner: Any = event.subagent_run_id if kind != 16 else None
            self.open[key] = Block(kind, key[1], owner if type(owner) is str else None)
        elif kind in ENDS:
            key = (ENDS[kind], _id(event, kind))
            if key not in self.open:
                raise OrderingError("not-open", name, key[1], f"nothing open under {key[1]!r}")
            del self.open[key]
