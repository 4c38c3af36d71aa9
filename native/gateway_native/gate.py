"""The gate of a stream: what an author emits goes through chain and verifier into the batch.

    author ──> witness ──> chain ──> verifier ──> batch

Blame. With transformers there is a second verifier, the witness, which judges what the author
emits before any transformer sees it: what it refuses is the author's fault, raises OrderingError
and changes nothing. What is refused although the witness accepted it is the transformers' fault:
TransformerError. Content changes no verifier, so the witness is spared it: it is asked only when a
transformer changed the event or the verifier refused it.

The end. Exactly one terminal event goes out, the last. What the author left open is ended through
the chain, innermost first; then the transformers give what they hold; then the terminal event goes
through them and must come out as one event of its kind, last. A RUN_FINISHED that does not is the
transformers' fault; a RUN_ERROR then goes out as it was, after the ends of what is open on the
wire.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.batch import Batch
from gateway_native.chain import Chain
from gateway_native.closing import closing_event
from gateway_native.errors import OrderingError, TransformerError
from gateway_native.kinds import (
    COUNT,
    NAMES,
    REASONING_MESSAGE_CONTENT,
    RUN_ERROR,
    RUN_FINISHED,
    STATE_DELTA,
    STATE_SNAPSHOT,
    STEP_FINISHED,
    STEP_STARTED,
    SUBAGENT_ERROR,
    SUBAGENT_FINISHED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)
from gateway_native.verifier import Verifier

CONTENT: Final = [
    kind in (TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, REASONING_MESSAGE_CONTENT)
    for kind in range(COUNT)
]
"""For each kind, whether it changes no verifier and can be a plain delta."""

WATCHED: Final = [
    kind
    in (
        STATE_SNAPSHOT,
        STATE_DELTA,
        TOOL_CALL_START,
        TOOL_CALL_RESULT,
        STEP_STARTED,
        STEP_FINISHED,
        SUBAGENT_STARTED,
        SUBAGENT_FINISHED,
        SUBAGENT_ERROR,
        RUN_FINISHED,
        RUN_ERROR,
    )
    for kind in range(COUNT)
]
"""For each kind, whether `on_event` hears of it."""


class Gate:
    """Lets lawful events into `batch`; `chain` and `verifier` belong to one run."""

    def __init__(self, chain: Chain, verifier: Verifier, batch: Batch) -> None:
        self.on_event: Any = None
        """Called with each accepted event of the kinds in WATCHED."""
        self.reshape: Any = None
        """Gives what an older viewer gets in place of an event, which is judged as it was."""
        self.failure: TransformerError | None = None
        """Why the run cannot finish any more: a transformer has failed."""
        self._chain = chain
        self._verifier = verifier
        self._witness: Verifier | None = verifier.twin() if chain.transformers else None
        self._batch = batch
        self._text_path = chain.path_of(TEXT_MESSAGE_CONTENT)

    def emit(self, event: Any, kind: int) -> None:
        """Let an event through that is not terminal, or raise."""
        witness = self._witness
        if witness is None:
            self._accept(event, kind)
        elif CONTENT[kind]:
            self.judge_content(event, self._chain.transform(event, kind), kind)
        else:
            witness.feed(event)
            self._accept_output(self._chain.transform(event, kind), kind)

    def through_chain(self, event: Any) -> Any:
        """What the chain gives for a TEXT_MESSAGE_CONTENT, still to be judged."""
        path = self._text_path
        if not path:
            return event
        return self._chain.along(path, event, TEXT_MESSAGE_CONTENT)

    def continues_last(self, event: Any) -> bool:
        """True if a content event that the chain left as it is may be added as it is."""
        return self._verifier.continues_last(event)

    def judge_content(self, event: Any, out: Any, kind: int) -> None:
        """Accept `out`, which the chain gave for a content event that nobody has judged yet."""
        witness = self._witness
        if witness is None:
            self._accept(event, kind)
            return
        if out is not event:
            witness.feed(event)
            self._accept_output(out, kind)
            return
        try:
            self._accept(event, kind)
        except OrderingError as error:
            witness.feed(event)
            raise self._blame(kind, error) from error

    def wants(self, kind: int) -> bool:
        """Whether any transformer sees events of `kind`."""
        return self._chain.wants(kind)

    def check_delta(self, kind: int, id: str) -> None:
        """Raise what `emit` would for an untagged content event of a kind nobody wants."""
        try:
            self._verifier.check_delta(kind, id)
        except OrderingError as error:
            if self._witness is None:
                raise
            self._witness.check_delta(kind, id)
            raise self._blame(kind, error) from error

    def close_open(self, failed: bool) -> None:
        """End what the author left open, innermost first; a subagent fails if the run does.

        If a transformer fails at that, what is open on the wire is ended past the chain.
        """
        if self._witness is not None and self.failure is None:
            try:
                for block in reversed(self._witness.open_blocks()):
                    end = closing_event(block, failed)
                    self.emit(end, end.kind)
                return
            except TransformerError as error:
                self.failure = error
        self._close_wire(failed)

    def end(self, event: Any, kind: int) -> None:
        """Let a terminal event through, or raise; see the top of this module."""
        if self._witness is not None and self.failure is None:
            try:
                self._end_through(event, kind, self._witness)
                return
            except TransformerError as error:
                self.failure = error
        if kind == RUN_ERROR:
            self._close_wire(True)
        elif self.failure is not None:
            raise self.failure.with_traceback(None)
        self._accept(event, kind)

    def bypass_chain(self) -> None:
        """Leave the transformers out from now on, as one of them has failed."""
        self.failure = None
        self._chain = Chain([])
        self._witness = None
        self._text_path = []

    def _accept(self, event: Any, kind: int) -> None:
        shown = event if self.reshape is None else self.reshape(event)
        frame = self._batch.frame(shown, kind)  # first, as it may raise
        self._verifier.feed(event)
        self._batch.add(shown, frame)
        if WATCHED[kind] and self.on_event is not None:
            self.on_event(event)

    def _accept_output(self, out: Any, given: int) -> None:
        """Accept what the chain gave for an event of kind `given` that the witness accepted."""
        if out is None:
            return
        events: list[Any] = out if type(out) is list else [out]
        try:
            for event in events:
                self._accept(event, event.kind)
        except OrderingError as error:
            raise self._blame(given, error) from error

    def _end_through(self, event: Any, kind: int, witness: Verifier) -> None:
        witness.feed(event)
        last = self._last_of_chain(event, kind)
        if kind == RUN_ERROR:
            self._close_wire(True)
        self._accept_output(last, kind)

    def _last_of_chain(self, event: Any, kind: int) -> Any:
        """The terminal event as the chain gives it; what comes before it is accepted."""
        self._accept_output(self._chain.finish(), kind)
        out = self._chain.transform(event, kind)
        events: list[Any] = out if type(out) is list else [out]
        kinds = [-1 if one is None else int(one.kind) for one in events]
        if kind not in kinds[-1:] or RUN_FINISHED in kinds[:-1] or RUN_ERROR in kinds[:-1]:
            raise self._blame(kind, ValueError(f"{NAMES[kind]} must come out once, and last"))
        self._accept_output(events[:-1], kind)
        return events[-1]

    def _close_wire(self, failed: bool) -> None:
        """End what is open on the wire, past the chain."""
        for block in reversed(self._verifier.open_blocks()):
            end = closing_event(block, failed)
            self._accept(end, end.kind)

    def _blame(self, kind: int, cause: Exception) -> TransformerError:
        return TransformerError(self._chain.names(), NAMES[kind], cause)
