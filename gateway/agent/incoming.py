"""What an agent reads of the input of its run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from gateway.agent.resume import Answer, Answers, ResumePolicy, check_resume
from gateway.protocol.base import UNSET
from gateway.protocol.input import Context, ResumeEntry, RunAgentInput, Tool
from gateway.protocol.messages import Message, UserMessage
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.parts import TextPart

logger = logging.getLogger("gateway.agent")


class Incoming:
    """Reads `input`; nothing here changes anything."""

    __slots__ = ()

    input: RunAgentInput

    @property
    def thread_id(self) -> str:
        return self.input.thread_id

    @property
    def run_id(self) -> str:
        return self.input.run_id

    @property
    def parent_run_id(self) -> str | None:
        """The run that started this one as a separate run, if any."""
        return None if self.input.parent_run_id is UNSET else self.input.parent_run_id

    @property
    def protocol_version(self) -> str | None:
        """What the client declared; None marks a client of the 0.x era."""
        return None if self.input.protocol_version is UNSET else self.input.protocol_version

    @property
    def messages(self) -> Sequence[Message]:
        """The complete history, oldest first."""
        return self.input.messages

    @property
    def last_user_text(self) -> str | None:
        """The text of the newest user message, its text parts joined by newlines.

        None when there is no user message, "" when it has no text.
        """
        for message in reversed(self.input.messages):
            if isinstance(message, UserMessage):
                return _text_of(message)
        return None

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that the front end offers to run."""
        return self.input.tools

    def tool(self, name: str) -> Tool | None:
        """The offered tool of that name, None if there is none."""
        return next((tool for tool in self.input.tools if tool.name == name), None)

    @property
    def context(self) -> Sequence[Context]:
        """Facts that the application wants the model to know."""
        return self.input.context

    @property
    def forwarded_props(self) -> Any:
        """Whatever the client passed on, None if nothing."""
        props = self.input.forwarded_props
        return None if props is UNSET else props

    @property
    def resume(self) -> Sequence[ResumeEntry]:
        """The answers to the interrupts of the previous run, as they came."""
        return () if self.input.resume is UNSET else self.input.resume

    @property
    def is_resume(self) -> bool:
        """True when this run answers at least one interrupt."""
        return bool(self.resume)

    def resume_for(self, id: str) -> ResumeEntry | None:
        """The first entry for the interrupt of that id as it came, None if there is none.

        Nothing of it is checked; `answer` checks it against the interrupt.
        """
        return next((entry for entry in self.resume if entry.interrupt_id == id), None)

    def answer(self, interrupt: Interrupt, policy: ResumePolicy = ResumePolicy()) -> Answer | None:
        """The checked answer to one interrupt; None says that it is (still) to be asked.

        Raises ResumeError, which ends the run with INVALID_REQUEST, for an answer that does not
        fit the response schema or comes too late. For several interrupts use `answers`, which also
        tells of entries that answer none of them.
        """
        entries = [entry for entry in self.resume if entry.interrupt_id == interrupt.id]
        return check_resume(entries, [interrupt], policy).get(interrupt.id)

    def answers(self, *interrupts: Interrupt, policy: ResumePolicy = ResumePolicy()) -> Answers:
        """The checked answers to all interrupts that are open; see `resume` for the rules."""
        answers = check_resume(self.resume, interrupts, policy)
        for id in answers.unknown:
            logger.warning("run %s: resume entry for unknown interrupt %r", self.run_id, id)
        return answers


def _text_of(message: UserMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))
