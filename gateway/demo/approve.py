"""Asks for approval, and on resume says what was decided."""

from typing import Any

from gateway.agent.context import RunContext
from gateway.agent.outcome import RunOutcome
from gateway.protocol.input import ResumeEntry
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
        answer = ctx.resume_for(QUESTION.id)
        if answer is None:
            ctx.say("I need your approval to go on.")
            return RunOutcome.interrupt(QUESTION)
        ctx.say(f"You {_decision(answer)}.")
        return None


def _decision(answer: ResumeEntry) -> str:
    if answer.status == "cancelled":
        return "did not want to decide"
    payload = answer.payload
    approved = payload.get("approved") if isinstance(payload, dict) else payload
    return "approved" if approved is True else "declined"
