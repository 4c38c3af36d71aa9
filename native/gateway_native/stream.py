"""`RunStream`: the output of one run, from events to bytes.

Each event goes through the chain and the verifier at once and is then pending; `flush` gives all
that is pending as one chunk. Events without open members wait as Structs and are encoded in a
batch, two C calls for up to 256 of them; what holds open JSON (state, values, results) is encoded
when it is emitted, since its author may change it afterwards. Deltas of one block need no Struct:
while no transformer wants their kind, they wait as strings behind a cached prefix.

A refused event changes nothing. After `stop`, everything but the end of the run is refused.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.chain import Chain
from gateway_native.closing import closing_event
from gateway_native.errors import GatewayError, LimitError, OrderingError, TransformerError
from gateway_native.escape import escape_line_separators
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    CUSTOM,
    MESSAGES_SNAPSHOT,
    NAMES,
    RAW,
    REASONING_MESSAGE_CONTENT,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    STATE_DELTA,
    STATE_SNAPSHOT,
    SUBAGENT_FINISHED,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)
from gateway_native.verifier import Verifier

BATCH: Final = 256
"""Events that wait at most before they are encoded."""

LARGE: Final = 4096
"""Characters of a delta that is encoded at once, so that what waits is bounded in bytes too."""

NO_ID: Final = "".join(["no", " id"])
"""Never the same object as an id of a caller."""

OPEN: Final[list[bool]] = [
    kind
    in (
        STATE_SNAPSHOT,
        STATE_DELTA,
        MESSAGES_SNAPSHOT,
        RAW,
        CUSTOM,
        RUN_STARTED,
        RUN_FINISHED,
        RUN_ERROR,
        SUBAGENT_FINISHED,
        TOOL_CALL_RESULT,
        ACTIVITY_SNAPSHOT,
        ACTIVITY_DELTA,
    )
    for kind in range(COUNT)
]
"""For each kind, whether it is encoded when it is emitted."""

WATCHED: Final[list[bool]] = [
    kind in (STATE_SNAPSHOT, STATE_DELTA, TOOL_CALL_START, TOOL_CALL_RESULT)
    for kind in range(COUNT)
]
"""For each kind, whether `on_event` hears of it."""

SSE: Final = 0
FRAMES: Final = 1
EVENTS: Final = 2

DELTA: Final = b',"delta":'
HEADS: Final[dict[int, bytes]] = {
    TEXT_MESSAGE_CONTENT: b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":',
    TOOL_CALL_ARGS: b'data: {"type":"TOOL_CALL_ARGS","toolCallId":',
    REASONING_MESSAGE_CONTENT: b'data: {"type":"REASONING_MESSAGE_CONTENT","messageId":',
}


class RunStream:
    """All mutable state of one run's output.

    `mode` is SSE, FRAMES (each event through `encode_frame`) or EVENTS (Structs, see
    `take_events`). Bounds of 0 are none: `max_events` and `max_bytes` of the whole run,
    `max_pending` bytes not yet flushed; beyond one, everything is refused with a LimitError.
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
        self.chain = chain
        self.verifier = verifier
        self.mode = mode
        self.encode_frame: Any = encode_frame
        self.on_pending: Any = None
        """Called without arguments when output becomes pending."""
        self.on_event: Any = None
        """Called with each accepted event of the kinds in WATCHED."""
        self.pending = False
        self.ended = False
        self.events = 0
        """Events accepted so far."""
        self.bytes = 0
        """Bytes encoded so far."""
        self.pending_bytes = 0
        """Bytes encoded and not yet flushed; up to BATCH events wait uncounted."""
        self.max_events = max_events
        self.max_bytes = max_bytes
        self.max_pending = max_pending
        self._input: Verifier | None = verifier.twin() if chain.transformers else None
        self.refusal: Exception | None = None
        """What is raised for anything emitted now; None while events are welcome."""
        self._content_class: Any = None if mode == FRAMES else BINDING.classes[TEXT_MESSAGE_CONTENT]
        self._structs: list[Any] = []
        self._deltas: list[str] = []
        self._delta_kind = -1
        self._delta_id = NO_ID
        self._text_id = NO_ID
        self._prefix = b""
        self._chunks: list[bytes] = []

    @property
    def stopped(self) -> bool:
        """True once nothing but the end of the run is accepted."""
        return self.ended or self.refusal is not None

    def stop(self, refusal: Exception) -> None:
        """Refuse what is emitted from now on by raising `refusal`; the first one stays."""
        if self.refusal is None:
            self.refusal = refusal
        self._leave_deltas()

    def emit(self, event: Any) -> None:
        """Send an event through chain and verifier.

        Raises OrderingError if it breaks a rule, TransformerError if a transformer fails, and
        what `stop` was given.
        """
        if self.refusal is not None:
            raise self.refusal
        if self._delta_kind >= 0:
            self._leave_deltas()
        if type(event) is self._content_class:
            self._emit_content(event)
            return
        kind: int = event.kind
        if kind in (RUN_FINISHED, RUN_ERROR):
            self._emit_terminal(event)
        elif self.chain.routes[kind]:
            self._emit_through(event, kind)
        else:
            if self._input is not None:
                self._input.feed(event)
            self._accept(event, kind)

    def _emit_content(self, event: Any) -> None:
        """The short way of the most frequent event, a TEXT_MESSAGE_CONTENT."""
        if self.chain.routes[TEXT_MESSAGE_CONTENT]:
            through = self.chain.transform(event)
            if through is not event:
                for one in through:
                    self._accept_from_chain(one, TEXT_MESSAGE_CONTENT, event)
                return
        if not self.verifier.continues_last(event):
            self._accept_from_chain(event, TEXT_MESSAGE_CONTENT, event)
            return
        self.events += 1
        structs = self._structs
        structs.append(event)
        if not self.pending:
            self._set_pending()
        elif len(structs) >= BATCH:
            self._encode_pending()

    def text(self, id: str, delta: str) -> None:
        """Append to an open text message, as a TEXT_MESSAGE_CONTENT would."""
        if id is not self._text_id and not self._enter_deltas(TEXT_MESSAGE_CONTENT, id, delta):
            return
        deltas = self._deltas
        deltas.append(delta)
        if not self.pending:
            self._set_pending()
        elif len(deltas) >= BATCH or len(delta) > LARGE:
            self._encode_pending()

    def args(self, id: str, delta: str) -> None:
        """Append to the arguments of an open call, as a TOOL_CALL_ARGS would."""
        self._append(TOOL_CALL_ARGS, id, delta)

    def reasoning(self, id: str, delta: str) -> None:
        """Append to an open reasoning message, as a REASONING_MESSAGE_CONTENT would."""
        self._append(REASONING_MESSAGE_CONTENT, id, delta)

    def flush(self) -> bytes:
        """All pending output as one chunk, `b""` if there is none."""
        self._encode_pending()
        self.pending = False
        self.pending_bytes = 0
        chunks = self._chunks
        chunk = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        chunks.clear()
        return chunk

    def take_events(self) -> list[Any]:
        """All pending events; for a stream in the mode EVENTS."""
        self.pending = False
        self.pending_bytes = 0
        events = self._structs
        self._structs = []
        return events

    def close_open(self, failed: bool) -> None:
        """End whatever is open, innermost first; a subagent fails if the run does.

        Does so after `stop` too. What the transformers swallowed or failed at is closed past them.
        """
        self.refusal = None
        self._leave_deltas()
        if self._input is not None:
            self._close_through_chain(self._input, failed)
        for block in reversed(self.verifier.open_blocks()):
            event = closing_event(block, failed)
            self._accept(event, event.kind)

    def _close_through_chain(self, source: Verifier, failed: bool) -> None:
        for block in reversed(source.open_blocks()):
            event = closing_event(block, failed)
            try:
                self._emit_through(event, event.kind)
            except GatewayError:
                self.bypass_chain()
                return

    def bypass_chain(self) -> None:
        """Leave the transformers out from now on, as one of them has failed."""
        self.chain = Chain([])
        self._input = None

    def end(self, terminal: Any) -> None:
        """Emit the terminal event; afterwards nothing is accepted.

        Raises what `emit` does, in which case another terminal may be tried.
        """
        self.refusal = None
        self._leave_deltas()
        self._emit_terminal(terminal)

    # ---- the inside

    def _append(self, kind: int, id: str, delta: str) -> None:
        entered = id is self._delta_id and kind == self._delta_kind
        if not entered and not self._enter_deltas(kind, id, delta):
            return
        self._deltas.append(delta)
        if not self.pending:
            self._set_pending()
        elif len(self._deltas) >= BATCH or len(delta) > LARGE:
            self._encode_pending()

    def _enter_deltas(self, kind: int, id: str, delta: str) -> bool:
        """Begin a row of deltas of one block; False if the delta went out as an event instead."""
        if self.mode != SSE or self.chain.routes[kind]:
            self.emit(BINDING.classes[kind](id, delta))
            return False
        if self.refusal is not None:
            raise self.refusal
        self.verifier.check_delta(kind, id)
        self._encode_pending()
        head: bytes = HEADS[kind] + BINDING.encode(id) + DELTA
        self._delta_kind = kind
        self._delta_id = id
        self._text_id = id if kind == TEXT_MESSAGE_CONTENT else NO_ID
        self._prefix = head
        return True

    def _leave_deltas(self) -> None:
        self._encode_pending()
        self._delta_kind = -1
        self._delta_id = NO_ID
        self._text_id = NO_ID

    def _emit_through(self, event: Any, kind: int) -> None:
        source = self._input
        if source is not None and kind not in HEADS:
            source.feed(event)
        through = self.chain.transform(event)
        if through is event:
            self._accept_from_chain(event, kind, event)
            return
        for one in through:
            self._accept_from_chain(one, kind, event)

    def _accept_from_chain(self, event: Any, source_kind: int, source: Any) -> None:
        """Accept what the chain gave for `source`; if it breaks a rule, find out who did."""
        kind: int = event.kind
        try:
            self._accept(event, kind)
        except OrderingError as error:
            if source_kind in HEADS and self._input is not None:
                self._input.feed(source)
            elif self._input is None:
                raise
            raise TransformerError("", NAMES[kind], str(error)) from error

    def _emit_terminal(self, event: Any) -> None:
        """Let the chain flush and see the terminal; whatever it does, exactly one goes out."""
        if self._input is not None:
            self._input.feed(event)
        terminal = event
        if self.chain.transformers:
            for held in self.chain.finish():
                self._accept_held(held)
            if self.chain.routes[event.kind]:
                terminal = self._terminal_of(event)
        kind: int = terminal.kind
        self._accept(terminal, kind)
        self.ended = True
        self.refusal = OrderingError(
            "run-ended", NAMES[kind], "", "the run has ended: nothing may follow its last event"
        )

    def _terminal_of(self, event: Any) -> Any:
        through = self.chain.transform(event)
        if through is event:
            return event
        terminal = event
        for one in through:
            kind: int = one.kind
            if kind in (RUN_FINISHED, RUN_ERROR):
                terminal = one
            else:
                self._accept_held(one)
        return terminal

    def _accept_held(self, event: Any) -> None:
        """Accept what a transformer gave of its own."""
        kind: int = event.kind
        try:
            self._accept(event, kind)
        except OrderingError as error:
            raise TransformerError("", NAMES[kind], str(error)) from error

    def _accept(self, event: Any, kind: int) -> None:
        self.verifier.feed(event)
        self.events += 1
        if WATCHED[kind] and self.on_event is not None:
            self.on_event(event)
        if self.mode == EVENTS:
            self._structs.append(event)
        elif self.mode == FRAMES:
            self._add_chunk(self.encode_frame(event))
        elif OPEN[kind]:
            self._encode_pending()
            json: bytes = BINDING.encode(event)
            self._add_chunk(b"data: " + json + b"\n\n")
        else:
            self._structs.append(event)
            if len(self._structs) >= BATCH:
                self._encode_pending()
        if not self.pending:
            self._set_pending()
        if self.max_events and self.events > self.max_events:
            self._exceed(LimitError(self.max_events, "events"))

    def _set_pending(self) -> None:
        self.pending = True
        if self.on_pending is not None:
            self.on_pending()

    def _encode_pending(self) -> None:
        """Encode what waits; Structs and deltas never wait at the same time."""
        if self._deltas:
            self._encode_deltas()
        elif self._structs and self.mode == SSE:
            structs = self._structs
            lines: bytes = BINDING.encode_lines(structs)
            structs.clear()
            self._add_chunk(
                b"data: " + escape_line_separators(lines).replace(b"\n", b"\n\ndata: ")[:-6]
            )
            if self.max_events and self.events > self.max_events:
                self._exceed(LimitError(self.max_events, "events"))

    def _encode_deltas(self) -> None:
        deltas = self._deltas
        count = len(deltas)
        prefix = self._prefix
        lines: bytes = BINDING.encode_lines(deltas)
        deltas.clear()
        self.events += count
        rows = escape_line_separators(lines).replace(b"\n", b"}\n\n" + prefix)
        self._add_chunk(prefix + rows[: -len(prefix)])
        if self.max_events and self.events > self.max_events:
            self._exceed(LimitError(self.max_events, "events"))

    def _add_chunk(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        size = len(chunk)
        self.bytes += size
        self.pending_bytes += size
        if self.max_pending and self.pending_bytes > self.max_pending:
            self._exceed(LimitError(self.max_pending, "bytes that wait for the viewer"))
        if self.max_bytes and self.bytes > self.max_bytes:
            self._exceed(LimitError(self.max_bytes, "bytes"))

    def _exceed(self, error: GatewayError) -> None:
        """A bound is broken: refuse whatever comes next. The reader must not feel it."""
        if self.refusal is None:
            self.refusal = error
        self._delta_kind = -1
        self._delta_id = NO_ID
        self._text_id = NO_ID
