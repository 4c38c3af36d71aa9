"""The transformer chain: what stands between an agent and the verifier.

Each event passes the transformers in order; one of them may drop it, change it, or put several in
its place. A transformer declares the kinds that it wants, and all other kinds bypass it. Since the
chain stands before the verifier, what it drops is never seen as half a block.

A transformer holds the state of one run, so whoever makes runs keeps a recipe (a callable that
makes the transformer) and never an instance.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from gateway_native.errors import TransformerError
from gateway_native.kinds import COUNT, NAMES

ALL_KINDS: Final = (1 << COUNT) - 1


@mypyc_attr(allow_interpreted_subclasses=True)
class Transformer:
    """Base of all transformers; subclass it and override `transform`.

    `kinds` are the kinds of events that it wants, as event classes or kind numbers; None wants all.
    """

    kinds: ClassVar[Any] = None

    def transform(self, event: Any) -> Any:
        """What takes the place of `event`: None, one event, or a list of events."""
        return event

    def finish(self) -> Any:
        """What is still held, as None, one event, or a list; called before the terminal event."""
        return None


class Chain:
    """Transformers in order, with a table of who wants which kind."""

    def __init__(self, transformers: list[Transformer]) -> None:
        self.transformers = transformers
        self.wanted: list[int] = [_mask(transformer) for transformer in transformers]
        union = 0
        for mask in self.wanted:
            union |= mask
        self.routes: list[bool] = [bool(union & (1 << kind)) for kind in range(COUNT)]
        """For each kind, whether any transformer wants it."""
        self._routes: list[list[int]] = [self._route(kind) for kind in range(COUNT)]

    def _route(self, kind: int) -> list[int]:
        bit = 1 << kind
        return [index for index, mask in enumerate(self.wanted) if mask & bit]

    def transform(self, event: Any) -> Any:
        """What comes out for `event`: the event itself, or a list of events."""
        return self._from(0, event)

    def finish(self) -> list[Any]:
        """What the transformers still hold, each passed through those behind it."""
        out: list[Any] = []
        for index in range(len(self.transformers)):
            transformer = self.transformers[index]
            try:
                held = transformer.finish()
            except Exception as error:
                raise _failed(transformer, "the end of the run", error) from error
            self._extend(out, index + 1, held)
        return out

    def _from(self, start: int, event: Any) -> Any:
        kind: int = event.kind
        for index in self._routes[kind]:
            if index < start:
                continue
            transformer = self.transformers[index]
            try:
                result = transformer.transform(event)
            except Exception as error:
                raise _failed(transformer, NAMES[kind], error) from error
            if result is not event:
                out: list[Any] = []
                self._extend(out, index + 1, result)
                return out
        return event

    def _extend(self, out: list[Any], start: int, result: Any) -> None:
        """Pass what a transformer gave through those behind it, into `out`."""
        if result is None:
            return
        events = result if type(result) is list or type(result) is tuple else [result]
        for event in events:
            through = self._from(start, event)
            if type(through) is list:
                out.extend(through)
            elif through is not None:
                out.append(through)


def _mask(transformer: Transformer) -> int:
    kinds: Any = getattr(transformer, "kinds")  # noqa: B009 - a subclass may be interpreted
    if kinds is None:
        return ALL_KINDS
    mask = 0
    for kind in kinds:
        number: int = kind if type(kind) is int else kind.kind
        mask |= 1 << number
    return mask


def _failed(transformer: Transformer, event_type: str, error: Exception) -> TransformerError:
    return TransformerError(type(transformer).__name__, event_type, f"{error}")
