"""`Session`: one conversation, which keeps across runs what the next run needs.

Each request is one or several runs: when a run leaves calls of tools that were registered with a
function, they are executed and the next run carries their results. A request ends with one `Ended`
a run, the last of them last. What was delivered before a fault stays in the session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any
from uuid import uuid4

from gateway.client.client import Client
from gateway.client.front_tools import FrontTools, Function
from gateway.client.interrupts import answers, cancellations, require_answers
from gateway.client.updates import (
    Ended,
    ToolAnswered,
    ToolCallReady,
    Update,
    Updates,
    ending,
)
from gateway.errors import RunFailedError
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, RunError, RunFinished, RunStarted
from gateway.protocol.input import Context, ResumeEntry, RunAgentInput, Tool
from gateway.protocol.messages import Message, ToolMessage, UserMessage
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.parts import ContentPart
from gateway.protocol.reducer import Reducer
from gateway.protocol.usage import TokenUsage, add_usage

MAX_ROUNDS = 16
"""Runs of one request, so that an agent and a tool cannot call each other for ever."""


def unique_id() -> str:
    """A new id, unique everywhere."""
    return str(uuid4())


class Session:
    """A conversation with the agent of `client`, one request at a time.

    `messages` and `state` are where it begins (state None: the thread has none); `new_id` makes the
    ids of runs and messages. Readable between and during requests: `messages`, `state`,
    `pending_interrupts`, `usage` (sums by provider and model over all runs).
    """

    def __init__(
        self,
        client: Client,
        thread_id: str | None = None,
        *,
        messages: Iterable[Message] = (),
        state: Any = UNSET,
        context: Iterable[Context] = (),
        forwarded_props: Any = UNSET,
        interrupts: Iterable[Interrupt] = (),
        new_id: Callable[[], str] = unique_id,
        max_rounds: int = MAX_ROUNDS,
        warn: Warn = ignore,
    ) -> None:
        self.client = client
        self.thread_id = new_id() if thread_id is None else thread_id
        self.context = list(context)
        self.forwarded_props = forwarded_props
        self.usage: list[TokenUsage] = []
        self._reducer = Reducer(messages, {} if state is UNSET else state, warn)
        self._reducer.pending_interrupts = list(interrupts)
        self._tools = FrontTools()
        self._new_id = new_id
        self._max_rounds = max_rounds
        self._warn = warn
        self._busy = False

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return self._reducer.messages

    @property
    def state(self) -> Any:
        """The state that agent and application share; set it between requests."""
        return self._reducer.state

    @state.setter
    def state(self, value: Any) -> None:
        self._reducer.state = value

    @property
    def pending_interrupts(self) -> list[Interrupt]:
        """What the last run asked; the next request must answer all of it."""
        return self._reducer.pending_interrupts

    def add_tool(self, tool: Tool, function: Function | None = None) -> None:
        """Offer a tool to the agent; with a function its calls are executed here."""
        self._tools.add(tool, function)

    def add_message(self, message: Message) -> None:
        """Append a message between requests: a user's, or the result of a call."""
        self._reducer.append(message)

    def answer_call(self, call_id: str, content: str | list[ContentPart]) -> None:
        """Append the result of a call of a tool without a function; `run` then goes on."""
        self.add_message(ToolMessage(self._new_id(), call_id, content))

    def send(self, content: str | list[ContentPart]) -> AsyncIterator[Update]:
        """Say something as the user and run. Raises InterruptError while an answer is due."""
        return self._request([], UserMessage(self._new_id(), content))

    def resume(self, payloads: Mapping[str, Any]) -> AsyncIterator[Update]:
        """Answer interrupts by their ids and run; all that are pending must be answered."""
        return self._request(answers(payloads))

    def cancel(self) -> AsyncIterator[Update]:
        """Abandon all pending interrupts and run."""
        return self._request(cancellations(self.pending_interrupts))

    def run(
        self, resume: Iterable[ResumeEntry] = (), run_id: str | None = None
    ) -> AsyncIterator[Update]:
        """Run with what the session holds; leaving the iterator cancels the run.

        Raises InterruptError before anything is sent, and what `Client.run` raises.
        """
        return self._request(list(resume), run_id=run_id)

    async def ask(self, content: str | list[ContentPart]) -> str:
        """Say something and return the text of the agent's last message.

        Raises RunFailedError when the agent ends with RUN_ERROR.
        """
        async for update in self.send(content):
            if isinstance(update, Ended) and update.status == "failed":
                code = "" if update.code is UNSET else update.code
                raise RunFailedError(update.message, code)
        return self.last_text

    @property
    def last_text(self) -> str:
        """The text of the newest message of the agent, "" if there is none."""
        for message in reversed(self.messages):
            if message.role == "assistant":
                content: Any = getattr(message, "content", "")
                return content if isinstance(content, str) else ""
        return ""

    async def _request(
        self,
        resume: list[ResumeEntry],
        message: UserMessage | None = None,
        run_id: str | None = None,
    ) -> AsyncIterator[Update]:
        if self._busy:
            raise RuntimeError("a request of this session is going on: one at a time")
        require_answers(self.pending_interrupts, resume)
        if message is not None:
            self.add_message(message)
        self._busy = True
        try:
            for _ in range(self._max_rounds):
                calls: list[ToolCallReady] = []
                async for update in self._run(resume, run_id or self._new_id(), calls):
                    yield update
                if not calls:
                    return
                for call in calls:
                    yield await self._execute(call)
                if self._unanswered():
                    return
                resume, run_id = [], None
        finally:
            self._busy = False

    async def _run(
        self, resume: list[ResumeEntry], run_id: str, calls: list[ToolCallReady]
    ) -> AsyncIterator[Update]:
        """One run; the calls that are to be executed here are put into `calls`."""
        updates = Updates(self._reducer)
        ready: dict[str, ToolCallReady] = {}
        terminal: Event | None = None
        events = self.client.run(self._input(resume, run_id))
        try:
            async for event in events:
                self._reducer.feed(event)
                if isinstance(event, RunStarted):
                    run_id, terminal = event.run_id, None
                elif isinstance(event, RunFinished | RunError):
                    terminal = event
                for update in updates.of(event):
                    if isinstance(update, ToolCallReady):
                        ready[update.id] = update
                    yield update
        finally:
            await events.aclose()  # type: ignore[attr-defined]
        ended = ending(terminal, run_id, self._reducer.pending_tool_call_ids)
        self.usage = add_usage([*self.usage, *ended.usage])
        calls += [ready[id] for id in ended.pending_calls if self._is_ours(ready.get(id))]
        yield ended

    def _is_ours(self, call: ToolCallReady | None) -> bool:
        return call is not None and self._tools.runs(call.name)

    async def _execute(self, call: ToolCallReady) -> Update:
        message = await self._tools.answer(self._new_id(), call.id, call.name, call.arguments)
        self.add_message(message)
        error = None if message.error is UNSET else message.error
        return ToolAnswered(call.id, message.content, error)

    def _unanswered(self) -> bool:
        answered = {m.tool_call_id for m in self.messages if isinstance(m, ToolMessage)}
        return any(id not in answered for id in self._reducer.pending_tool_call_ids)

    def _input(self, resume: list[ResumeEntry], run_id: str) -> RunAgentInput:
        state = self.state
        return RunAgentInput(
            self.thread_id,
            run_id,
            self.messages,
            self._tools.offered,
            self.context,
            UNSET if state is None else state,
            self.forwarded_props,
            resume or UNSET,
        )
