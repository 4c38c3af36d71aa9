"""Tool calls while they arrive: which piece belongs to which call, and ids that are unique.

Providers key pieces by index, by id or not at all; some number every parallel call 0, some repeat
id and name in each piece, some give all calls one id. The rules: a new id on a used index opens a
new call, a piece without id and index continues the current one, the first id and name win.
"""

from collections.abc import Collection
from uuid import uuid4

from gateway.llm.arguments import read_call
from gateway.llm.model import CallArguments, CallEnd, CallStart, Delta


class OpenCall:
    """One call; held back until its name and, if one may still come, its id are known."""

    def __init__(self, index: int, given: str | None) -> None:
        self.index = index
        self.given = given
        """The id on the wire."""
        self.name = ""
        self.id = ""
        """The id that everybody else knows, once the call has started."""
        self.text = ""
        self.ended = False

    @property
    def is_whole(self) -> bool:
        """The arguments so far are a JSON object."""
        return bool(self.text) and read_call("", "", self.text, cut=False).executable


class Calls:
    """The calls of one answer; writes deltas to `out`. `taken` are ids of the history."""

    def __init__(self, out: list[Delta], taken: Collection[str] = ()) -> None:
        self.out = out
        self.all: list[OpenCall] = []
        self._taken = set(taken)
        self._current: dict[int | None, OpenCall] = {}

    def __bool__(self) -> bool:
        return any(call.name for call in self.all)

    def piece(self, index: int | None, id: str | None, name: str | None, text: str) -> OpenCall:
        """A piece of a call, whichever parts of it there are."""
        given = None if id in ("", "null") else id
        call = self._find(index, given, name) or self.open(given)
        self._current[index] = self._current[None] = call
        call.given = call.given or given
        call.name = call.name or name or ""
        self.append(call, text)
        return call

    def whole(self, id: str | None, name: str, text: str) -> OpenCall:
        """A call that comes in one piece."""
        call = self.open(None if id in ("", "null") else id)
        call.name = name
        self.append(call, text)
        self.end(call)
        return call

    def open(self, given: str | None) -> OpenCall:
        """A new call, not announced yet."""
        call = OpenCall(len(self.all), given)
        self.all.append(call)
        return call

    def append(self, call: OpenCall, text: str) -> None:
        """More argument text; announces the call as soon as that is possible."""
        held = call.text if not call.id else ""
        call.text += text
        if call.name and (call.given or call.text):
            self._start(call)
            if held + text:
                self.out.append(CallArguments(call.index, held + text))

    def end(self, call: OpenCall) -> None:
        """The call gets no more pieces."""
        if call.ended or not call.name:
            return
        self._start(call)
        call.ended = True
        self.out.append(CallEnd(call.index))

    def end_all(self) -> None:
        """The answer is over."""
        for call in self.all:
            self.end(call)

    def _start(self, call: OpenCall) -> None:
        if call.id:
            return
        unique = call.given is not None and call.given not in self._taken
        call.id = call.given if unique and call.given else f"call_{uuid4().hex[:24]}"
        self._taken.add(call.id)
        self.out.append(CallStart(call.index, call.id, call.name))

    def _find(self, index: int | None, given: str | None, name: str | None) -> OpenCall | None:
        current = self._current.get(index)
        if current is None:
            return None
        if given is None:
            return None if name and _is_next(current, index, name) else current
        if current.given in (None, given):
            return None if current.given is None and current.is_whole else current
        known = (call for call in self.all if call.given == given)
        return next(known, None)


def _is_next(current: OpenCall, index: int | None, name: str) -> bool:
    """A name without an id begins another call, unless it only repeats the name."""
    if not current.name:
        return False
    return index is None or name != current.name or current.is_whole
