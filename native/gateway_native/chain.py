"""The transformer chain: what stands between an agent and the verifier.

Each event passes the transformers in order; one of them may drop it, change it, or put several in
its place, and what it gives goes on with those behind it. Since the chain stands before the
verifier, what it drops is never seen as half a block. A transformer declares the kinds that it
wants, and all others bypass it: a table made once names, for each place in the chain and each kind,
who comes next, so that an event nobody wants costs one look-up.

A transformer holds the state of one run, so whoever makes runs keeps a recipe (a
`Callable[[], Transformer]`) and never an instance.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from gateway_native.errors import TransformerError
from gateway_native.kinds import COUNT, NAMES

ALL_KINDS: Final = list(range(COUNT))


@mypyc_attr(allow_interpreted_subclasses=True)
class Transformer:
    """Base of all transformers; subclass it and override `transform`.

    `kinds` are the kinds of events that it wants, as event classes or kind numbers; None wants
    all. They are read once, when a chain is made.
    """

    kinds: ClassVar[Any] = None

    def transform(self, event: Any) -> Any:
        """What takes the place of `event`: None, one event, or a list of events in order.

        Give `event` itself to let it pass unchanged; events are immutable, so a changed one is a
        new one, `event.__replace__(…)`. RUN_FINISHED and RUN_ERROR may be changed, and preceded by
        others, but not dropped or doubled. An exception ends the run with TRANSFORMER_ERROR.
        """
        return event

    def finish(self) -> Any:
        """What is still held: None, one event, or a list; asked once, before the terminal event."""
        return None


class Chain:
    """Transformers in order, with the table of who wants which kind; belongs to one run."""

    def __init__(self, transformers: list[Transformer]) -> None:
        self.transformers = transformers
        self.routes = _routes(transformers)
        """`routes[at][kind]` is the first place from `at` on that wants `kind`, -1 if none does."""

    def wants(self, kind: int) -> bool:
        """Whether any transformer sees events of `kind`."""
        return self.routes[0][kind] >= 0

    def transform(self, event: Any, kind: int) -> Any:
        """What comes out for `event`, which is of `kind`: None, one event, or a list of events.

        Raises TransformerError if a transformer raises or gives what is no event.
        """
        return self._pass(event, kind, self.routes[0][kind])

    def path_of(self, kind: int) -> list[Transformer]:
        """The transformers that want `kind`, in order, for `along`."""
        path: list[Transformer] = []
        at = self.routes[0][kind]
        while at >= 0:
            path.append(self.transformers[at])
            at = self.routes[at + 1][kind]
        return path

    def along(self, path: list[Transformer], event: Any, kind: int) -> Any:
        """As `transform`, for a kind whose path is at hand."""
        out = event
        for transformer in path:
            try:
                out = transformer.transform(event)
            except Exception as error:
                at = self.transformers.index(transformer)
                raise self._failure(at, NAMES[kind], error) from error
            if out is not event:
                return self._replaced(out, kind, self.transformers.index(transformer))
        return event

    def finish(self) -> list[Any]:
        """What the transformers still hold, each passed through those behind it."""
        out: list[Any] = []
        for at in range(len(self.transformers)):
            try:
                held = self.transformers[at].finish()
                events = [] if held is None else _as_list(held)
            except Exception as error:
                raise self._failure(at, "", error) from error
            self._extend(out, events, at)
        return out

    def names(self) -> str:
        """The class names of all transformers, joined by ", "."""
        return ", ".join([type(transformer).__name__ for transformer in self.transformers])

    def _pass(self, event: Any, kind: int, at: int) -> Any:
        """Let `event` through the transformers from `at` on."""
        while at >= 0:
            try:
                out = self.transformers[at].transform(event)
            except Exception as error:
                raise self._failure(at, NAMES[kind], error) from error
            if out is not event:
                return self._replaced(out, kind, at)
            at = self.routes[at + 1][kind]
        return event

    def _replaced(self, out: Any, kind: int, at: int) -> Any:
        """What comes of `out`, which the transformer at `at` gave for an event of `kind`."""
        if out is None:
            return None
        try:
            events = _as_list(out)
        except Exception as error:
            raise self._failure(at, NAMES[kind], error) from error
        if len(events) == 1:
            event = events[0]
            kind = event.kind
            return self._pass(event, kind, self.routes[at + 1][kind])
        return self._extend([], events, at)

    def _extend(self, out: list[Any], events: list[Any], at: int) -> list[Any]:
        """Put into `out` what comes of the `events` that the transformer at `at` gave."""
        following = self.routes[at + 1]
        for event in events:
            kind: int = event.kind
            through = self._pass(event, kind, following[kind])
            if type(through) is list:
                out.extend(through)
            elif through is not None:
                out.append(through)
        return out

    def _failure(self, at: int, event_type: str, error: Exception) -> TransformerError:
        return TransformerError(type(self.transformers[at]).__name__, event_type, error)


def _as_list(out: Any) -> list[Any]:
    """What a transformer gave, as a list in which everything is an event."""
    events: list[Any] = list(out) if type(out) is list or type(out) is tuple else [out]
    for event in events:
        kind: int = event.kind
        if NAMES[kind] != event.type:
            raise TypeError(f"{type(event).__name__} is no event")
    return events


def _routes(transformers: list[Transformer]) -> list[list[int]]:
    routes: list[list[int]] = [[-1] * COUNT]
    for at in range(len(transformers) - 1, -1, -1):
        following = routes[0]
        row = list(following)
        for kind in _wanted(transformers[at]):
            row[kind] = at
        routes.insert(0, row)
    return routes


def _wanted(transformer: Transformer) -> list[int]:
    kinds: Any = getattr(transformer, "kinds")  # noqa: B009 - a subclass may be interpreted
    if kinds is None:
        return ALL_KINDS
    numbers: list[int] = []
    for kind in kinds:
        number: int = kind if type(kind) is int else kind.kind
        numbers.append(number)
    return numbers
