"""`RunStream`: the output of one run, the only object that a run has for itself.

    author ── emit, text, args, reasoning ──> gate ──> batch ── flush ──> bytes

An event that breaks a rule raises and changes nothing, so that its author may go on (`gate` tells
whose fault it is). After a transformer's failure, after `stop`, beyond a bound and after the end
everything is refused.

Deltas of one block need no event: `text`, `args` and `reasoning` append strings to the row that was
begun last, and so does a text event that holds nothing but its delta. The verifier is asked when a
row begins, that is when the id changes or something came between. Where a transformer wants the
kind, or the batch takes events only, a content event is emitted instead.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.batch import Batch, FrameBatch, SseBatch
from gateway_native.binding import BINDING
from gateway_native.bounds import Bounds
from gateway_native.chain import Chain
from gateway_native.errors import OrderingError, TransformerError
from gateway_native.gate import Gate
from gateway_native.kinds import (
    NAMES,
    REASONING_MESSAGE_CONTENT,
    RUN_ERROR,
    RUN_FINISHED,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
)
from gateway_native.row import NO_ID, NO_KIND, Row, delta_of
from gateway_native.verifier import Verifier

LARGE: Final = 4096
"""Characters of a delta that is encoded at once, so that what waits is bounded in bytes too."""

SSE: Final = 0
FRAMES: Final = 1
EVENTS: Final = 2


class RunStream:
    """All mutable state of one run's output.

    `chain` and `verifier` belong to this run. `mode` is SSE, FRAMES (each event through
    `encode_frame`: protobuf, JSON lines) or EVENTS (see `take_events`). Once a bound is reached
    (`max_events` and `max_bytes` of the whole run, `max_pending` bytes not yet flushed; 0 is none),
    everything but the end is refused with a LimitError.
    """

    def __init__(
        self,
        chain: Chain,
        verifier: Verifier,
        mode: int = SSE,
        encode_frame: Any = None,
        max_events: int = 0,
        max_bytes: int = 0,
        max_pending: int = 0,
    ) -> None:
        self.on_pending: Any = None
        """Called without arguments when output becomes pending."""
        self.pending = False
        self.ended = False
        self.refusal: Exception | None = None
        """What is raised for anything emitted now; None while events are welcome."""
        self.refused = False
        """Whether anything was refused that way, if perhaps nobody cared."""
        self.violations: dict[str, int] = {}
        """How often the author broke each rule so far."""
        self._batch = _batch(mode, encode_frame)
        self._events = self._batch.events
        self._deltas = self._batch.deltas
        self._gate = Gate(chain, verifier, self._batch)
        self._row = Row()
        self._text_class: Any = BINDING.classes[TEXT_MESSAGE_CONTENT] if mode == SSE else None
        self._bounds = Bounds(max_events, max_bytes, max_pending)
        self._room = self._bounds.room(self._batch)

    @property
    def stopped(self) -> bool:
        """True once nothing but the end of the run is accepted."""
        return self.refusal is not None

    @property
    def on_event(self) -> Any:
        """Called with each accepted event of the kinds in `gate.WATCHED`; None for nobody."""
        return self._gate.on_event

    @on_event.setter
    def on_event(self, called: Any) -> None:
        self._gate.on_event = called

    @property
    def reshape(self) -> Any:
        """Gives what an older viewer gets in place of an event that is no content; None: itself."""
        return self._gate.reshape

    @reshape.setter
    def reshape(self, called: Any) -> None:
        self._gate.reshape = called

    @property
    def events(self) -> int:
        """Events accepted so far."""
        return self._batch.count()

    @property
    def total_bytes(self) -> int:
        """Bytes encoded so far."""
        return self._batch.bytes

    @property
    def pending_bytes(self) -> int:
        """Bytes encoded and not flushed; up to 256 events more wait unencoded."""
        return self._batch.pending_bytes

    def emit(self, event: Any) -> None:
        """Send an event; RUN_FINISHED and RUN_ERROR end the run, the latter closes what is open.

        Raises OrderingError if it breaks a rule, TransformerError if a transformer fails, and
        what `stop` was given.
        """
        if self.refusal is not None:
            self.refused = True
            raise self.refusal.with_traceback(None)
        try:
            if type(event) is self._text_class:
                self._emit_text(event)
            else:
                self._emit_any(event)
        except OrderingError as violation:
            self._count(violation)
            raise
        except TransformerError as error:
            self._gate.failure = error
            self.stop(error)
            raise

    def text(self, id: str, delta: str) -> None:
        """Append to an open text message, as a TEXT_MESSAGE_CONTENT would."""
        if id is self._row.text_id or self._enter_row(TEXT_MESSAGE_CONTENT, id, delta):
            self._append(delta)

    def args(self, id: str, delta: str) -> None:
        """Append to the arguments of an open call, as a TOOL_CALL_ARGS would."""
        if self._row.holds(TOOL_CALL_ARGS, id) or self._enter_row(TOOL_CALL_ARGS, id, delta):
            self._append(delta)

    def reasoning(self, id: str, delta: str) -> None:
        """Append to an open reasoning message, as a REASONING_MESSAGE_CONTENT would."""
        kind = REASONING_MESSAGE_CONTENT
        if self._row.holds(kind, id) or self._enter_row(kind, id, delta):
            self._append(delta)

    def flush(self) -> bytes:
        """All pending output as one chunk, `b""` if there is none."""
        chunk = self._batch.flush()
        self.pending = False
        self._measure()
        return chunk

    def take_events(self) -> list[Any]:
        """All pending events; for a stream in the mode EVENTS."""
        events = self._batch.take()
        self.pending = False
        self._measure()
        return events

    def stop(self, refusal: Exception) -> None:
        """Refuse what is emitted from now on by raising `refusal`; the first one stays."""
        if self.refusal is None:
            self.refusal = refusal
        self._leave_row()

    def close_open(self, failed: bool) -> None:
        """End whatever the author left open, innermost first; a subagent fails if the run does.

        Does so after `stop` too. If a transformer fails, what is open on the wire is ended.
        """
        self._leave_row()
        self._gate.close_open(failed)
        self._added()

    def end(self, terminal: Any) -> None:
        """Emit the terminal event, even after `stop`; afterwards nothing is accepted.

        Raises what `emit` does, in which case another terminal may be tried, `bypass_chain` first
        if the transformers are at fault. With a RUN_ERROR they cannot be.
        """
        kind: int = terminal.kind
        if self.ended:
            raise _run_ended(kind)
        self._leave_row()
        if kind == RUN_ERROR:
            self._gate.close_open(True)
        self._gate.end(terminal, kind)
        self.ended = True
        self.refusal = _run_ended(kind)
        self._added()

    def bypass_chain(self) -> None:
        """Leave the transformers out from now on, as one of them has failed."""
        self._gate.bypass_chain()

    def _emit_any(self, event: Any) -> None:
        kind: int = event.kind
        if kind in (RUN_FINISHED, RUN_ERROR):
            self.end(event)
            return
        if self._row.kind != NO_KIND:
            self._leave_row()
        self._gate.emit(event, kind)
        self._added()

    def _emit_text(self, event: Any) -> None:
        """The short way of the most frequent event: as a delta, if nothing else is in it."""
        row = self._row
        out = self._gate.through_chain(event)
        if out is event:
            if row.text_id is not NO_ID:
                delta = delta_of(event, row.text_id)
                if delta is not None:
                    self._append(delta)
                    return
            elif row.kind == NO_KIND and self._gate.continues_last(event):
                self._begin_row_with(event)
                return
        if row.kind != NO_KIND:
            self._leave_row()
        self._gate.judge_content(event, out, TEXT_MESSAGE_CONTENT)
        self._added()

    def _begin_row_with(self, event: Any) -> None:
        """Begin a row with the second event in succession of a message."""
        id: Any = event.message_id
        delta = delta_of(event, id)
        if delta is None:
            self._events.append(event)
            self._added()
            return
        self._start_row(TEXT_MESSAGE_CONTENT, id)
        self._append(delta)

    def _enter_row(self, kind: int, id: str, delta: str) -> bool:
        """Begin a row for that block; False if the delta went out as an event instead."""
        _text_of(delta)
        if self.refusal is not None:
            self.refused = True
            raise self.refusal.with_traceback(None)
        if self._row.holds(kind, id):
            return True
        self._leave_row()
        if self._gate.wants(kind) or not self._batch.takes_deltas:
            self.emit(BINDING.classes[kind](id, delta))
            return False
        try:
            self._gate.check_delta(kind, id)
        except OrderingError as violation:
            self._count(violation)
            raise
        except TransformerError as error:
            self._gate.failure = error
            self.stop(error)
            raise
        self._start_row(kind, id)
        return True

    def _start_row(self, kind: int, id: str) -> None:
        self._batch.start_deltas(kind, id)
        self._row.begin(kind, id)
        self._room = self._bounds.room(self._batch)

    def _append(self, delta: str) -> None:
        deltas = self._deltas
        deltas.append(delta if type(delta) is str else _text_of(delta))
        if not self.pending:
            self._set_pending()
        if len(deltas) >= self._room or len(delta) > LARGE:
            self._batch.seal()
            self._measure()

    def _leave_row(self) -> None:
        self._row.leave()
        if self._deltas:
            self._batch.seal()
            self._measure()

    def _added(self) -> None:
        if not self.pending and self._batch.waits():
            self._set_pending()
        if len(self._events) >= self._room:
            self._batch.seal()
        self._measure()

    def _count(self, violation: OrderingError) -> None:
        rule = violation.rule
        self.violations[rule] = self.violations.get(rule, 0) + 1

    def _set_pending(self) -> None:
        self.pending = True
        if self.on_pending is not None:
            self.on_pending()

    def _measure(self) -> None:
        """Hold what was encoded against the bounds. The reader must not feel it."""
        bounds = self._bounds
        self._room = bounds.room(self._batch)
        broken = bounds.broken(self._batch)
        if broken is not None:
            self._row.leave()
            if self.refusal is None:
                self.refusal = broken


def _batch(mode: int, encode_frame: Any) -> Batch:
    if mode == SSE:
        return SseBatch()
    return FrameBatch(encode_frame) if mode == FRAMES else Batch()


def _text_of(delta: object) -> str:
    """The delta as a plain str, which a subclass may be made."""
    if not isinstance(delta, str):
        raise TypeError(f"a delta is a str, not {type(delta).__name__}")
    return "".join([delta])


def _run_ended(kind: int) -> OrderingError:
    return OrderingError(
        "run-ended", NAMES[kind], "", "the run has ended: nothing may follow its last event"
    )
