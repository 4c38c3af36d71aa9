"""Asks for approval, and on resume says what was decided."""

from typing import Any

from gateway.agent.context import RunContext
from gateway.agent.outcome import RunOutcome
from gateway.protocol.outcomes import Interrupt

QUESTION = Interrupt(
    "approval",
    "approval",
    message="May I go on?",
    response_schema={
        "type": "object",
        "properties": {"approved": {"type": "boolean"}},
        "required": ["approved"],
    },
)


class Approve:
    """Interrupts for approval; on resume says what was decided."""

    async def run(self, ctx: RunContext[Any]) -> RunOutcome | None:
        """Ask when there is no answer yet, else say it."""
        answer = ctx.answer(QUESTION)
        if answer is None:
            ctx.say("I need your approval to go on.")
            return RunOutcome.interrupt(QUESTION)
        if answer.cancelled:
            ctx.say("You did not want to decide.")
        else:
            ctx.say("You approved." if answer.payload["approved"] else "You declined.")
        return None
