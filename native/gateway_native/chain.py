"""Transformers of a stream, in order, between the agent and the verifier.

A chain stands before the verifier, so what it drops is never seen as half a block. A transformer
names the kinds that it wants; a table made once says, for each place in the chain and each kind,
who comes next, so that an event nobody wants costs one look-up. What a transformer puts in an
event's stead goes on with the next one.

A transformer holds the state of one run. An endpoint therefore stores a recipe, a
`Callable[[], Transformer]`, and each run gets a new chain.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from gateway_native.errors import OrderingError, TransformerError
from gateway_native.kinds import COUNT, NAMES

ALL_KINDS: Final[frozenset[int]] = frozenset(range(COUNT))


@mypyc_attr(allow_interpreted_subclasses=True)
class Transformer:
    """Base of all transformers; override what you need.

    `kinds` are the numbers of `gateway_native.kinds` that the transformer wants (default: all);
    other events go by. It is read once, when the chain is made.
    """

    kinds: ClassVar[AbstractSet[int]] = ALL_KINDS

    def transform(self, event: Any) -> Any:
        """What goes out for `event`: None, one event, or a list of events in order.

        Return `event` itself to let it pass. An `OrderingError` raised here is a verdict on the
        author's event and reaches the author; any other exception ends the run.
        """
        return event

    def finish(self) -> list[Any]:
        """Events held back until now; called once, before the terminal event."""
        return []


class Chain:
    """Transformers in order, with the route of each kind; belongs to one run."""

    def __init__(self, transformers: list[Transformer]) -> None:
        self.transformers = transformers
        self.count = len(transformers)
        self.routes = _routes(transformers)
        """`routes[at][kind]`: the first place from `at` on that wants the kind, else `count`."""

    def wants(self, kind: int) -> bool:
        """Whether any transformer sees events of this kind."""
        return self.routes[0][kind] < self.count

    def transform(self, event: Any, kind: int) -> Any:
        """What goes out for `event`, which is of `kind`: None, one event, or a list of events.

        Raises TransformerError when a transformer raises anything but an OrderingError.
        """
        return self._pass(event, kind, 0)

    def finish(self) -> list[Any]:
        """Everything the transformers hold, each one's through those behind it."""
        held: list[Any] = []
        for at in range(self.count):
            try:
                rest = self.transformers[at].finish()
            except Exception as error:
                raise TransformerError(name_of(self.transformers[at]), "", error) from error
            held += self._spread(rest, at + 1)
        return held

    def names(self) -> str:
        """The class names of all transformers, joined by ", "."""
        return ", ".join([name_of(t) for t in self.transformers])

    def _pass(self, event: Any, kind: int, at: int) -> Any:
        at = self.routes[at][kind]
        try:
            while at < self.count:
                out = self.transformers[at].transform(event)
                if out is not event:
                    if out is None:
                        return None
                    if type(out) is list:
                        return self._spread(out, at + 1)
                    kind = out.kind
                    event = out
                at = self.routes[at + 1][kind]
        except (OrderingError, TransformerError):
            raise
        except Exception as error:
            raise TransformerError(name_of(self.transformers[at]), NAMES[kind], error) from error
        return event

    def _spread(self, events: list[Any], at: int) -> list[Any]:
        spread: list[Any] = []
        for event in events:
            out = self._pass(event, event.kind, at)
            if type(out) is list:
                spread += out
            elif out is not None:
                spread.append(out)
        return spread


def name_of(transformer: Transformer) -> str:
    """The class name by which errors call a transformer."""
    return type(transformer).__name__


def _routes(transformers: list[Transformer]) -> list[list[int]]:
    count = len(transformers)
    routes = [[count] * COUNT]
    for at in range(count - 1, -1, -1):
        wanted: Any = transformers[at].kinds
        following = routes[0]
        routes.insert(0, [at if kind in wanted else following[kind] for kind in range(COUNT)])
    return routes
