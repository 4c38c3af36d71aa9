"""`RedactText`: no match of a pattern leaves, wherever the deltas are cut.

A match may begin in one delta and end in another, so the last characters of each message are held
back: whatever begins within them may still become a match. Nothing that begins before them can,
as long as matches are no longer than that. The characters before them have been sent and are kept
as context for look-behind and word boundaries. The end of the message lets everything out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer
from gateway_native.kinds import (
    MESSAGES_SNAPSHOT,
    TEXT_MESSAGE_CHUNK,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
)


class Tail:
    """The end of one message: `text` from `at` on has not been sent."""

    def __init__(self, start: Any) -> None:
        self.start: Any = start
        self.text = ""
        self.at = 0


class RedactText(Transformer):
    """Puts `replacement` in the place of every match in text messages.

    `patterns` are regular expressions; of matches that overlap, the first, then the longest counts.
    `longest` is the length in characters up to which a match is found when it is cut into deltas;
    so many characters of each message lag behind. Snapshots of messages are redacted as well, and
    `rawEvent` is taken off content. Reasoning, arguments, results and state are not text messages.
    Chunks must be expanded before (`ExpandChunks`); one that is not ends the run.
    """

    kinds: ClassVar[Any] = (
        TEXT_MESSAGE_START,
        TEXT_MESSAGE_CONTENT,
        TEXT_MESSAGE_END,
        TEXT_MESSAGE_CHUNK,
        MESSAGES_SNAPSHOT,
    )

    def __init__(
        self,
        patterns: Iterable[str | re.Pattern[str]],
        replacement: str = "[redacted]",
        longest: int = 128,
    ) -> None:
        if isinstance(patterns, str) or longest < 1:
            raise ValueError("give a list of patterns, and room for a match")
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self._replacement = replacement
        self._longest = longest
        self._tails: dict[str, Tail] = {}
        """Open messages."""

    def transform(self, event: Any) -> Any:
        """The event, its content without matches, or nothing while all of it is held back."""
        kind: int = event.kind
        if kind == MESSAGES_SNAPSHOT:
            return event.__replace__(messages=[self._redacted(m) for m in event.messages])
        if kind == TEXT_MESSAGE_CHUNK:
            raise ValueError("a chunk cannot be redacted: put ExpandChunks before RedactText")
        id: str = event.message_id
        if kind == TEXT_MESSAGE_START:
            self._tails[id] = Tail(event)
            return event
        if id not in self._tails:  # not open: the verifier will say so
            return event
        if kind == TEXT_MESSAGE_CONTENT:
            return self._content(event, self._tails[id])
        rest = self._rest(self._tails.pop(id))
        return event if rest is None else [rest, event]

    def finish(self) -> Any:
        """What is held of messages that were not ended."""
        rests: list[Any] = []
        for tail in self._tails.values():
            rest = self._rest(tail)
            if rest is not None:
                rests.append(rest)
        return rests

    def _content(self, event: Any, tail: Tail) -> Any:
        tail.text += event.delta
        delta = self._advance(tail, len(tail.text) - self._longest)
        unset: Any = BINDING.unset
        if delta == "" and event.metadata is unset and event.delta != "":
            return None
        return event.__replace__(delta=delta, raw_event=unset)

    def _rest(self, tail: Tail) -> Any:
        delta = self._advance(tail, len(tail.text) + 1)
        if delta == "":
            return None
        start: Any = tail.start
        content: Any = BINDING.classes[TEXT_MESSAGE_CONTENT]
        return content(start.message_id, delta, subagent_run_id=start.subagent_run_id)

    def _advance(self, tail: Tail, limit: int) -> str:
        """What may leave: all before `limit`, and the matches that begin there."""
        if limit <= tail.at:
            return ""
        out: list[str] = []
        while True:
            found = self._next(tail.text, tail.at)
            if found is None or found[0] >= limit:
                break
            out.append(tail.text[tail.at : found[0]] + self._replacement)
            tail.at = found[1]
        if tail.at < limit:
            out.append(tail.text[tail.at : limit])
            tail.at = min(limit, len(tail.text))
        self._forget(tail)
        return "".join(out)

    def _forget(self, tail: Tail) -> None:
        """Keep no more of what was sent than matches may look back at."""
        surplus = tail.at - self._longest
        if surplus > 0:
            tail.text = tail.text[surplus:]
            tail.at = self._longest

    def _next(self, text: str, at: int) -> tuple[int, int] | None:
        """Begin and end of the next match that is not empty, of several there the longest."""
        best: tuple[int, int] | None = None
        for pattern in self._patterns:
            found = pattern.search(text, at)
            while found is not None and found.end() == found.start():
                found = pattern.search(text, found.end() + 1) if found.end() < len(text) else None
            if found is None:
                continue
            span = (found.start(), found.end())
            if best is None or (span[0], -span[1]) < (best[0], -best[1]):
                best = span
        return best

    def _redacted(self, message: Any) -> Any:
        if message.role in ("tool", "activity", "reasoning"):
            return message
        if not isinstance(message.content, str):
            return message
        tail = Tail(message)
        tail.text = message.content
        text = self._advance(tail, len(tail.text) + 1)
        return message.__replace__(content=text)
