"""The ledger of one run: what is open, who owns what, and what each event does to both.

Events of runs themselves and chunks do not come here; `verifier` has taken them apart before.
Spec: `docs/spec/1.1/events/*.mdx`.
"""

from __future__ import annotations

from typing import Any

from gateway_native.binding import BINDING
from gateway_native.blocks import ACTION_OF, CALL, CONTINUES, ENDS, FAMILY_OF, OPENS, Blocks
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    MESSAGES_SNAPSHOT,
    NAMES,
    REASONING_ENCRYPTED_VALUE,
    STEP_FINISHED,
    STEP_STARTED,
    SUBAGENT_ERROR,
    SUBAGENT_FINISHED,
    SUBAGENT_STARTED,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)
from gateway_native.owners import Owners, tag_of


class Ledger:
    """What the rules must remember of one run. A method that raises has changed nothing.

    `answers_known` asks results to name an ended call of this run or one in `history`, the ids of
    the calls that came before it.
    """

    def __init__(self, answers_known: bool, history: set[str]) -> None:
        self.answers_known = answers_known
        self.history = history
        self.blocks = Blocks()
        self.owners = Owners()

    def knows_call(self, id: str) -> bool:
        """Whether a call was made in this run, or stands in its history or a snapshot."""
        return id in self.owners.calls or id in self.history

    def enter(self, event: Any, kind: int) -> None:
        """Let an event take effect, or raise OrderingError."""
        action = ACTION_OF[kind]
        if action == CONTINUES:
            self._continue(event, kind)
        elif action == OPENS:
            self._open(event, kind)
        elif action == ENDS:
            self._end(event, kind)
        elif kind == STEP_STARTED:
            self.blocks.open_step(event.step_name, tag_of(event))
        elif kind == STEP_FINISHED:
            self.blocks.close_step(event.step_name, tag_of(event))
        elif kind == TOOL_CALL_RESULT:
            self._answer(event)
        elif kind == SUBAGENT_STARTED:
            self._start_subagent(event)
        elif kind in (SUBAGENT_FINISHED, SUBAGENT_ERROR):
            self.blocks.close_subagent(kind, event.subagent_run_id)
        else:
            self._enter_standalone(event, kind)

    def _continue(self, event: Any, kind: int) -> None:
        id = id_of(event, kind)
        self.blocks.require_open(kind, id)
        self.owners.require(kind, id, tag_of(event))

    def _open(self, event: Any, kind: int) -> None:
        id = id_of(event, kind)
        self.blocks.require_closed(kind, id)
        if kind == TOOL_CALL_START:
            owner = self.owners.claim_call(id, tag_of(event), event.parent_message_id)
        else:
            owner = self.owners.claim(kind, id, tag_of(event))
        self.blocks.open(kind, id, owner)

    def _end(self, event: Any, kind: int) -> None:
        self._continue(event, kind)
        self.blocks.close(kind, id_of(event, kind))

    def _answer(self, event: Any) -> None:
        call: str = event.tool_call_id
        if self.answers_known:
            self._require_answerable(call)
        self.owners.messages[event.message_id] = tag_of(event)

    def _start_subagent(self, event: Any) -> None:
        parent: Any = event.parent_subagent_run_id
        self.blocks.open_subagent(
            event.subagent_run_id, None if parent is BINDING.unset else parent
        )

    def _enter_standalone(self, event: Any, kind: int) -> None:
        owners = self.owners
        if kind == ACTIVITY_SNAPSHOT:
            owners.claim_activity(event.message_id, tag_of(event), event.replace is not False)
        elif kind == ACTIVITY_DELTA:
            owners.require_activity(event.message_id, tag_of(event))
        elif kind == REASONING_ENCRYPTED_VALUE:
            owners.require_entity(event.entity_id, tag_of(event), event.subtype)
        elif kind == MESSAGES_SNAPSHOT:
            owners.seed(event.messages, True)

    def _require_answerable(self, call: str) -> None:
        if call in self.blocks.by_family[CALL]:
            raise OrderingError(
                "out-of-order",
                NAMES[TOOL_CALL_RESULT],
                call,
                f"tool call {call!r} has not ended yet",
            )
        if not self.knows_call(call):
            raise OrderingError(
                "unknown-id", NAMES[TOOL_CALL_RESULT], call, f"nothing has made tool call {call!r}"
            )


def id_of(event: Any, kind: int) -> str:
    """The id of the block that an event opens, continues or ends."""
    if FAMILY_OF[kind] == CALL:
        call: str = event.tool_call_id
        return call
    message: str = event.message_id
    return message
