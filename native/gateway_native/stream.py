"""One run's output: every event goes through chain and verifier into a batch, here and only here.

    author ── emit, text, args, reasoning ──> chain ──> verifier ──> batch ── flush ──> bytes

Rejection. An event that the verifier refuses raises OrderingError and changes nothing; the author
may go on. When a transformer answered with several events, those that stand on their own go out,
so that the transformer's view stays true, and the first error is raised.

Blame. A second verifier, the witness, sees what the author emits. When an output is refused that
the witness accepts as input, a transformer is at fault: TransformerError, and from then on only
`fail` is accepted. Content events change no verifier, so the witness costs nothing on the hot path:
it sees openings and ends, and content only when there is a refusal to judge. Without transformers
there is no witness.

Deltas. `text`, `args` and `reasoning` append to the block that was checked last; the verifier is
asked only when the id changes or an event came between. If a transformer wants that kind, or the
batch wants events, they build the event and emit it.

The end. Exactly one terminal event leaves, the last. First the author's open blocks are closed
through the chain, innermost first, then the transformers hand out what they hold, then RUN_FINISHED
goes through the chain; it must come out as one terminal event, or the transformers are at fault.
RUN_ERROR must not get lost whatever transformers do: if they fail, the original goes out, after
the ends of what is open on the wire.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.batch import FULL, Batch, SseBatch
from gateway_native.binding import BINDING
from gateway_native.chain import Chain
from gateway_native.closing import end_of
from gateway_native.errors import OrderingError, TransformerError
from gateway_native.kinds import (
    NAMES,
    REASONING_MESSAGE_CONTENT,
    RUN_ERROR,
    RUN_FINISHED,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
)
from gateway_native.verifier import Verifier

NO_KIND: Final = -1
CONTENT_KINDS: Final = frozenset({TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, REASONING_MESSAGE_CONTENT})
"""Kinds that change no verifier, so that the witness need not see them."""


class RunStream:
    """The only object that a run has for itself.

    `chain` and `verifier` belong to this run alone; `batch` says what leaves (default: SSE frames);
    `wake`, if given, is called whenever something waits after nothing did.
    """

    def __init__(
        self, chain: Chain, verifier: Verifier, batch: Batch | None = None, wake: Any = None
    ) -> None:
        self.chain = chain
        self.verifier = verifier
        self.witness: Verifier | None = verifier.fresh() if chain.count else None
        self.batch: Batch = SseBatch() if batch is None else batch
        self.deltas = self.batch.deltas
        self.wake: Any = wake
        self.awake = False
        self.run_id: str | None = None
        self.run_kind = NO_KIND
        self.fault: TransformerError | None = None
        self.ended = False
        """True once the terminal event has been accepted."""
        self.flushed_bytes = 0
        """Size of everything flushed."""
        self.flushed_events = 0
        """Number of events flushed or taken."""

    @property
    def events(self) -> int:
        """Number of events accepted in all."""
        return self.flushed_events + self.batch.waiting()

    @property
    def pending(self) -> int:
        """Number of events accepted and not flushed."""
        return self.batch.waiting()

    @property
    def pending_bytes(self) -> int:
        """Size of what waits encoded; up to 256 events more may wait unencoded."""
        return self.batch.sealed_bytes

    def emit(self, event: Any) -> None:
        """Send one event; RUN_FINISHED ends the stream, and RUN_ERROR does as `fail` does.

        Raises OrderingError for an event that breaks a rule, TransformerError for a transformer.
        """
        self.run_id = None
        kind: int = event.kind
        if kind == RUN_FINISHED:
            self._finish(event)
        elif kind == RUN_ERROR:
            self.fail(event)
        else:
            self._emit(event, kind)

    def text(self, id: str, delta: str) -> None:
        """Append text to the open message `id`; raises as `emit` would."""
        if id is self.run_id and self.run_kind == TEXT_MESSAGE_CONTENT:
            self._append(delta)
        else:
            self._switch(TEXT_MESSAGE_CONTENT, id, delta)

    def args(self, id: str, delta: str) -> None:
        """Append argument text to the open tool call `id`; raises as `emit` would."""
        if id is self.run_id and self.run_kind == TOOL_CALL_ARGS:
            self._append(delta)
        else:
            self._switch(TOOL_CALL_ARGS, id, delta)

    def reasoning(self, id: str, delta: str) -> None:
        """Append text to the open reasoning message `id`; raises as `emit` would."""
        if id is self.run_id and self.run_kind == REASONING_MESSAGE_CONTENT:
            self._append(delta)
        else:
            self._switch(REASONING_MESSAGE_CONTENT, id, delta)

    def flush(self) -> bytes:
        """Everything accepted since the last flush, as one chunk; empty if nothing was."""
        self.awake = False
        self.flushed_events += self.batch.waiting()
        chunk = self.batch.flush()
        self.flushed_bytes += len(chunk)
        return chunk

    def take_events(self) -> list[Any]:
        """Everything accepted since the last call, as events; needs an `EventBatch`."""
        self.awake = False
        events = self.batch.take()
        self.flushed_events += len(events)
        return events

    def close_open(self, error: Any = None) -> None:
        """End everything the author left open, innermost first, through the chain.

        `error` is the RUN_ERROR about to end the run, if one is: subagents then end with it.
        """
        self.run_id = None
        author = self.verifier if self.witness is None else self.witness
        for block in reversed(author.open_blocks()):
            end = end_of(block, error)
            try:
                self._emit(end, end.kind)
            except OrderingError:  # a transformer had ended it already
                continue
            except TransformerError:
                return

    def finish(self, event: Any) -> None:
        """Close what is open and end the run with `event`, a RUN_FINISHED.

        Raises OrderingError when the event breaks a rule or the stream has ended, TransformerError
        when a transformer loses or breaks the end: call `fail` then.
        """
        self._require_running(RUN_FINISHED)
        self.close_open()
        self._finish(event)

    def fail(self, event: Any) -> None:
        """Close what is open and end the run with `event`, a RUN_ERROR, whatever transformers do.

        Raises OrderingError when the stream has ended.
        """
        self._require_running(RUN_ERROR)
        self.close_open(event)
        out = self._last_words(event)
        for extra in out[:-1]:
            self._try(extra)
        for block in reversed(self.verifier.open_blocks()):
            self._try(end_of(block, event))
        if not self._try(out[-1]):
            self._accept(event)
        self.ended = True

    def _append(self, delta: str) -> None:
        if not isinstance(delta, str):
            raise TypeError(f"a delta is a str, not {type(delta).__name__}")
        self.deltas.append(delta)
        if not self.awake:
            self._wake()
        elif len(self.deltas) >= FULL:
            self.batch.seal()

    def _switch(self, kind: int, id: str, delta: str) -> None:
        if not isinstance(delta, str):
            raise TypeError(f"a delta is a str, not {type(delta).__name__}")
        if not (kind == self.run_kind and id == self.run_id):
            self.run_id = None
            if self.chain.wants(kind):
                self._emit(BINDING.classes[kind](id, delta), kind)
                return
            self._check_delta(kind, id)
            if not self.batch.start_deltas(kind, id):
                self._add(BINDING.classes[kind](id, delta))
                return
        self.run_id = id
        self.run_kind = kind
        self._append(delta)

    def _check_delta(self, kind: int, id: str) -> None:
        self._require_healthy()
        try:
            self.verifier.check_delta(kind, id)
        except OrderingError as error:
            if self.witness is None:
                raise
            self.witness.check_delta(kind, id)
            raise self._break(kind, error) from error

    def _emit(self, event: Any, kind: int) -> None:
        witness = self.witness
        if witness is None:
            self.verifier.feed(event)
            self._add(event)
            return
        self._require_healthy()
        try:
            out = self.chain.transform(event, kind)
        except TransformerError as error:
            self.fault = error
            raise
        try:
            if out is event:
                self._accept(event)
            elif type(out) is list:
                self._accept_all(out)
            elif out is not None:
                self._accept(out)
        except OrderingError as error:
            witness.feed(event)
            raise self._break(kind, error) from error
        if kind not in CONTENT_KINDS:
            self._observe(witness, event)

    def _observe(self, witness: Verifier, event: Any) -> None:
        try:
            witness.feed(event)
        except OrderingError:
            return  # the transformers made it good

    def _finish(self, event: Any) -> None:
        self._require_healthy()
        if self.witness is None:
            self._accept(event)
        else:
            self.witness.feed(event)
            self._release()
            try:
                self._accept_all(self._terminal(event, RUN_FINISHED))
            except OrderingError as error:
                raise self._break(RUN_FINISHED, error) from error
        self.ended = True

    def _last_words(self, event: Any) -> list[Any]:
        """What goes out for a RUN_ERROR; the event itself if the transformers fail."""
        if self.witness is None:
            return [event]
        try:
            self._release()
            return self._terminal(event, RUN_ERROR)
        except (OrderingError, TransformerError):
            return [event]

    def _release(self) -> None:
        """Send what the transformers hold."""
        self._require_healthy()
        try:
            self._accept_all(self.chain.finish())
        except OrderingError as error:
            raise self._break(NO_KIND, error) from error
        except TransformerError as error:
            self.fault = error
            raise

    def _terminal(self, event: Any, kind: int) -> list[Any]:
        """What the chain makes of a terminal event: one of its kind, last."""
        try:
            out = self.chain.transform(event, kind)
        except TransformerError as error:
            self.fault = error
            raise
        events = out if type(out) is list else [] if out is None else [out]
        kinds = [e.kind for e in events]
        if not kinds or kinds[-1] != kind or RUN_FINISHED in kinds[:-1] or RUN_ERROR in kinds[:-1]:
            raise self._break(kind, ValueError(f"{NAMES[kind]} must come out once, and last"))
        return events

    def _accept_all(self, events: list[Any]) -> None:
        refusal: OrderingError | None = None
        for event in events:
            try:
                self._accept(event)
            except OrderingError as error:
                refusal = refusal or error
        if refusal is not None:
            raise refusal

    def _accept(self, event: Any) -> None:
        self.verifier.feed(event)
        self._add(event)

    def _try(self, event: Any) -> bool:
        try:
            self._accept(event)
        except OrderingError:
            return False
        return True

    def _add(self, event: Any) -> None:
        self.batch.add(event)
        if not self.awake:
            self._wake()

    def _wake(self) -> None:
        self.awake = True
        if self.wake is not None:
            self.wake()

    def _break(self, kind: int, cause: Exception) -> TransformerError:
        name = NAMES[kind] if kind >= 0 else ""
        self.fault = TransformerError(self.chain.names(), name, cause)
        return self.fault

    def _require_healthy(self) -> None:
        if self.fault is not None:
            raise self.fault

    def _require_running(self, kind: int) -> None:
        if self.ended:
            raise OrderingError("run-ended", NAMES[kind], "", "the run has ended")
