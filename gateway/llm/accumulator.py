"""The fold of deltas into a completion; whole and streamed answers share it."""

from collections.abc import AsyncIterable, Iterable

from msgspec.structs import replace

from gateway.llm.arguments import read_call
from gateway.llm.model import (
    Call,
    CallArguments,
    CallStart,
    Completion,
    Delta,
    Finished,
    OpaqueDelta,
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    UsageDelta,
)


class Accumulator:
    """Takes deltas in; `completion` may be asked for at any time."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, tuple[CallStart, list[str]]] = {}
        self._rest = Completion()

    def extend(self, deltas: Iterable[Delta]) -> None:
        """Take in several deltas."""
        for delta in deltas:
            if type(delta) is TextDelta:
                self._text.append(delta.text)
            elif type(delta) is ReasoningDelta:
                self._reasoning.append(delta.text)
            else:
                self._take(delta)

    def _take(self, delta: Delta) -> None:
        match delta:
            case CallArguments(index, text):
                self._calls[index][1].append(text)
            case CallStart(index):
                self._calls[index] = (delta, [])
            case RefusalDelta(text):
                self._refusal.append(text)
            case Started(id, model):
                self._rest = replace(self._rest, id=id, model=model)
            case OpaqueDelta(value):
                self._rest = replace(self._rest, opaque=value)
            case UsageDelta(usage, cost):
                self._rest = replace(self._rest, usage=usage, cost=cost)
            case Finished(reason, raw):
                self._rest = replace(self._rest, finish_reason=reason, finish_raw=raw)

    def completion(self) -> Completion:
        """Everything so far. No call of an unfinished answer is executable."""
        return replace(
            self._rest,
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            refusal="".join(self._refusal) or None,
            tool_calls=self._read_calls(),
        )

    def _read_calls(self) -> tuple[Call, ...]:
        finish = self._rest.finish_reason
        calls = (
            read_call(start.id, start.name, "".join(pieces), finish in ("length", None))
            for start, pieces in self._calls.values()
        )
        if finish is not None:
            return tuple(calls)
        return tuple(replace(call, executable=False) for call in calls)


async def fold(deltas: AsyncIterable[Delta]) -> Completion:
    """The completion that a stream of deltas comes to."""
    accumulator = Accumulator()
    async for delta in deltas:
        accumulator.extend((delta,))
    return accumulator.completion()
