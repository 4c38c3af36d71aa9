"""The language of the LLM layer: requests, deltas, completions, and what a provider is.

A provider turns a `Request` into a sequence of deltas, whatever its wire format. Deltas come in a
fixed grammar: `Started` at most once and first; text, reasoning, refusal and calls in wire order,
where the pieces of one call carry its `index` and a `CallStart` comes before its `CallArguments`
and its `CallEnd`; then at most one `OpaqueDelta`, at most one `UsageDelta`, and `Finished` last.
No delta is ever empty. A stream that does not reach `Finished` raises `ProviderError`.

`Completion` is the fold of the deltas and of nothing else (`gateway.llm.accumulator`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from gateway.protocol.input import Tool
from gateway.protocol.messages import AssistantMessage, FunctionCall, Message, ToolCall
from gateway.protocol.usage import TokenUsage

FinishReason: TypeAlias = Literal[
    "stop", "length", "tool_calls", "content_filter", "refusal", "pause", "unknown"
]
"""Why a completion ended. With calls an ordinary end is `tool_calls`, whatever the provider says.

`length` is the token limit, with calls or without, `pause` asks to be called again with the same
history (a step of its own), `unknown` is a reason that no table knows and that came without calls.
"""


class OneTool(Struct, frozen=True):
    """A tool choice that forces the tool of that name."""

    name: str


ToolChoice: TypeAlias = Literal["auto", "none", "required"] | OneTool


class Settings(Struct, frozen=True, kw_only=True):
    """How to sample. What is not given is not sent; the provider's own default applies.

    `max_tokens` bounds the output; `reasoning_effort` is a word that the provider knows (`low`,
    `high`, ...) and `reasoning_tokens` a budget, for those that take a number; `output_schema` is a
    JSON Schema for the final text; `extra_body` is merged into the request body last.
    """

    temperature: float | UnsetType = UNSET
    top_p: float | UnsetType = UNSET
    max_tokens: int | UnsetType = UNSET
    stop: Sequence[str] | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    tool_choice: ToolChoice | UnsetType = UNSET
    parallel_tool_calls: bool | UnsetType = UNSET
    reasoning_effort: str | UnsetType = UNSET
    reasoning_tokens: int | UnsetType = UNSET
    output_schema: Mapping[str, Any] | UnsetType = UNSET
    extra_body: Mapping[str, Any] | UnsetType = UNSET
    extra_headers: Mapping[str, str] | UnsetType = UNSET


class Request(Struct, frozen=True, kw_only=True):
    """One call of a model.

    `model` may be empty: the provider's default. `system` has a slot of its own; system and
    developer messages of the history are sent after it. The history may be damaged (dangling calls,
    orphan results, odd role order): it is repaired on the way out. `deadline` is a time of
    `time.monotonic()` after which nothing is tried again.
    """

    messages: Sequence[Message]
    model: str = ""
    system: str = ""
    tools: Sequence[Tool] = ()
    settings: Settings = Settings()
    deadline: float | UnsetType = UNSET


class Started(Struct, frozen=True, gc=False):
    """The model answers; `id` and `model` as the provider names them, empty if it does not."""

    id: str
    model: str


class TextDelta(Struct, frozen=True, gc=False):
    """A piece of the answer; never empty."""

    text: str


class ReasoningDelta(Struct, frozen=True, gc=False):
    """A piece of the visible reasoning; never empty."""

    text: str


class RefusalDelta(Struct, frozen=True, gc=False):
    """A piece of the sentence by which the model refuses; never empty."""

    text: str


class CallStart(Struct, frozen=True, gc=False):
    """A tool call begins; `id` is unique in the history, made up if the provider gave none."""

    index: int
    id: str
    name: str


class CallArguments(Struct, frozen=True, gc=False):
    """A piece of the argument text of call `index`; never empty."""

    index: int
    text: str


class CallEnd(Struct, frozen=True, gc=False):
    """Call `index` gets no more arguments. Whether it may run is known when all is finished."""

    index: int


class OpaqueDelta(Struct, frozen=True, gc=False):
    """What the provider wants back unchanged with this turn: signatures, encrypted reasoning.

    `value` is JSON text made for `encrypted_value` of the assistant message (or of a reasoning
    message right before it). Never show it, never change it.
    """

    value: str


class UsageDelta(Struct, frozen=True, gc=False):
    """What the call used; `cost` in the provider's currency units where it tells."""

    usage: TokenUsage
    cost: float | None = None


class Finished(Struct, frozen=True, gc=False):
    """The end; `raw` is the provider's own word, None if it gave none."""

    reason: FinishReason
    raw: str | None = None


Delta: TypeAlias = (
    Started
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | CallStart
    | CallArguments
    | CallEnd
    | OpaqueDelta
    | UsageDelta
    | Finished
)


class Call(Struct, frozen=True):
    """A tool call of a completion.

    `text` is the argument text (`{}` if there was none), `arguments` the object in it or None, and
    `problem` what is wrong with it, written for the model. `executable` is false for invalid
    arguments and for a call that the token limit has cut off: such a call must never run.
    """

    id: str
    name: str
    text: str
    arguments: dict[str, Any] | None
    executable: bool
    problem: str | None = None


class Completion(Struct, frozen=True, kw_only=True):
    """Everything a model answered. As `partial` of a `ProviderError`: what came before the failure.

    `usage` and `cost` are None if the provider said nothing, `finish_reason` is None if it never
    came to an end.
    """

    text: str = ""
    reasoning: str = ""
    refusal: str | None = None
    tool_calls: tuple[Call, ...] = ()
    finish_reason: FinishReason | None = None
    finish_raw: str | None = None
    usage: TokenUsage | None = None
    cost: float | None = None
    opaque: str | None = None
    model: str = ""
    id: str = ""

    def message(self, id: str) -> AssistantMessage:
        """The turn as a message of the history, opaque parts included."""
        calls = [ToolCall(id=c.id, function=FunctionCall(c.name, c.text)) for c in self.tool_calls]
        said = self.text or self.refusal
        return AssistantMessage(
            id=id,
            content=said or UNSET,
            tool_calls=calls or UNSET,
            encrypted_value=self.opaque or UNSET,
        )


class Provider(Protocol):
    """A model behind some API. One object serves concurrent calls; it holds connections, no state.

    `name` is the provider's for usage and messages (`openai`, `anthropic`, ...), `model` the
    default model.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """The deltas as they arrive; raises ProviderError.

        Close it (`contextlib.aclosing`) to abandon the call: the connection goes at once. Failures
        before the first visible delta (anything but `Started`) are retried inside.
        """

    async def complete(self, request: Request) -> Completion:
        """The fold of `stream`, where a failure in the middle may be tried again, too."""

    async def close(self) -> None:
        """Release connections. Calls that still run fail."""
