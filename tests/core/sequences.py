"""Random event sequences: every kind, few ids, so that the rules meet often."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from gateway.protocol import events as e
from gateway.protocol.base import UNSET
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import (
    ActivityMessage,
    AssistantMessage,
    FunctionCall,
    Message,
    ReasoningMessage,
    ToolCall,
    UserMessage,
)
from gateway.protocol.outcomes import Interrupt, InterruptOutcome

IDS = ("a", "b", "c")
TAGS = ("s1", "s2", "")


class Source:
    """Endless random events of one seed, as text: the same seed gives the same events."""

    def __init__(self, seed: int, chunks: bool = True) -> None:
        self.random = random.Random(seed)
        self.makers: list[Callable[[], e.Event]] = [
            *[maker for maker in self.blocks() for _ in range(4)],
            *[maker for maker in self.subagents() for _ in range(2)],
            *self.standalone(),
            *self.runs(),
            *([maker for maker in self.chunks() for _ in range(4)] if chunks else []),
        ]

    def __iter__(self) -> Iterator[e.Event]:
        while True:
            yield self.random.choice(self.makers)()

    def id(self) -> str:
        return self.random.choice(IDS)

    def maybe(self, *values: Any) -> Any:
        """One of the values, or more often nothing."""
        return UNSET if self.random.random() < 0.6 else self.random.choice(values)

    def tag(self) -> Any:
        return UNSET if self.random.random() < 0.8 else self.random.choice(TAGS)

    def metadata(self) -> Any:
        return UNSET if self.random.random() < 0.9 else {"k": 1}

    def blocks(self) -> list[Callable[[], e.Event]]:
        by_message: list[Any] = [
            e.TextMessageStart,
            e.TextMessageEnd,
            e.ReasoningStart,
            e.ReasoningEnd,
            e.ReasoningMessageStart,
            e.ReasoningMessageEnd,
        ]
        makers = [self.maker(cls, self.id) for cls in by_message]
        makers += [self.maker(cls, self.id, lambda: "x") for cls in CONTENTS]
        makers.append(self.maker(e.ToolCallStart, self.id, lambda: "t", lambda: self.maybe(*IDS)))
        makers += [self.maker(cls, self.id) for cls in (e.ToolCallEnd, e.StepStarted)]
        makers.append(self.maker(e.StepFinished, self.id))
        return makers

    def maker(self, cls: Any, *arguments: Callable[[], Any]) -> Callable[[], e.Event]:
        def make() -> e.Event:
            event: e.Event = cls(
                *[argument() for argument in arguments],
                subagent_run_id=self.tag(),
                metadata=self.metadata(),
            )
            return event

        return make

    def subagents(self) -> list[Callable[[], e.Event]]:
        pick = self.random.choice
        return [
            lambda: e.SubagentStarted(
                pick(TAGS), "n", parent_subagent_run_id=self.maybe(*TAGS, "s3")
            ),
            lambda: e.SubagentFinished(pick(TAGS)),
            lambda: e.SubagentError(pick(TAGS), "m"),
        ]

    def standalone(self) -> list[Callable[[], e.Event]]:
        def subtype() -> Any:
            return self.random.choice(("tool-call", "message"))

        def value() -> dict[str, Any]:
            return {}

        return [
            self.maker(e.ToolCallResult, self.id, lambda: self.random.choice("abcd"), str),
            self.maker(e.ActivitySnapshot, self.id, str, value, lambda: self.maybe(True, False)),
            self.maker(e.ActivityDelta, self.id, str, list),
            self.maker(e.ReasoningEncryptedValue, subtype, self.id, str),
            self.maker(e.StateSnapshot, value),
            self.maker(e.StateDelta, list),
            self.maker(e.Raw, value),
            self.maker(e.Custom, str, value),
            lambda: e.MessagesSnapshot(self.messages()),
        ]

    def runs(self) -> list[Callable[[], e.Event]]:
        def thread() -> str:
            return self.random.choice("ttttu")

        def run() -> str:
            return self.random.choice("rrrrq")

        def echo() -> Any:
            return self.maybe(RunAgentInput("t", "r", self.messages()))

        start = [lambda: e.RunStarted(thread(), run(), input=echo())] * 12
        finish = [lambda: e.RunFinished(thread(), run(), outcome=self.outcome())] * 4
        return [*start, *finish, lambda: e.RunError("m")]

    def outcome(self) -> Any:
        ids = self.random.choices(IDS, k=2)
        return self.maybe(InterruptOutcome([Interrupt(id, "why") for id in ids]))

    def messages(self) -> list[Message]:
        call = ToolCall(self.id(), FunctionCall("t", ""))
        messages: list[Message] = [
            UserMessage(self.id(), "x", subagent_run_id=self.tag()),
            AssistantMessage(
                self.id(), "x", tool_calls=self.maybe([call]), subagent_run_id=self.tag()
            ),
            ReasoningMessage(self.id(), "x", subagent_run_id=self.tag()),
            ActivityMessage(self.id(), "x", {}, subagent_run_id=self.tag()),
        ]
        return messages[: self.random.randrange(5)]

    def chunks(self) -> list[Callable[[], e.Event]]:
        def id() -> Any:
            return self.maybe(*IDS)

        def delta() -> Any:
            return self.maybe("x", "")

        def role() -> Any:
            return self.maybe("assistant", "assistant", "assistant", "user")

        return [
            self.maker(e.TextMessageChunk, id, role, delta),
            self.maker(e.ToolCallChunk, id, lambda: self.maybe("t", "t", "u"), id, delta),
            self.maker(e.ReasoningMessageChunk, id, delta),
        ]


CONTENTS: list[Any] = [e.TextMessageContent, e.ToolCallArgs, e.ReasoningMessageContent]
