"""The messages of a thread, found by their ids; the first match over all messages wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from gateway.protocol.events import Event
from gateway.protocol.messages import Message, ToolCall, ToolMessage
from gateway.protocol.notices import Notice, Warn
from gateway.protocol.reduction.entries import Call, Entry


class History:
    """Entries in the order of the thread, found by message id and by tool call id."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._entries = [Entry(message) for message in messages]
        self._index()

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return [entry.message for entry in self._entries]

    def find(self, id: str) -> Entry | None:
        """The message of that id."""
        return self._by_id.get(id)

    def find_call(self, id: str) -> Call | None:
        """The tool call of that id."""
        return self._by_call.get(id)

    def append(self, message: Message) -> Entry:
        """Add a message at the end."""
        entry = Entry(message)
        self._entries.append(entry)
        self._add_to_index(entry)
        return entry

    def add_call(self, entry: Entry, call: ToolCall) -> Call:
        """Add a call to a message of the assistant."""
        added = entry.add_call(call)
        self._by_call.setdefault(call.id, added)
        return added

    def insert_result(self, result: ToolMessage) -> None:
        """Put a result behind the message that made the call, and behind its other results."""
        call = self.find_call(result.tool_call_id)
        if call is None:
            self.append(result)
            return
        place = self._place_of(call.owner) + 1
        while place < len(self._entries) and self._entries[place].role == "tool":
            place += 1
        entry = Entry(result)
        known = self.find(result.id)
        if known is None or self._place_of(known) >= place:
            self._by_id[result.id] = entry
        self._entries.insert(place, entry)

    def replace(self, entry: Entry, message: Message) -> None:
        """Replace a message by another one of the same id at its place."""
        had_calls = bool(entry.calls)
        entry.put(message)
        if had_calls:
            self._index()

    def reconcile(self, snapshot: list[Message], keeps: Callable[[Message], bool]) -> None:
        """Take over a snapshot: known ids in place, new ones at the end.

        Messages that the snapshot lacks go, unless `keeps` says otherwise.
        """
        latest = {message.id: message for message in snapshot}
        kept = [
            latest.get(message.id, message)
            for message in self.messages
            if message.id in latest or keeps(message)
        ]
        known = {message.id for message in kept}
        kept += [message for message in snapshot if message.id not in known]
        self._entries = [Entry(message) for message in kept]
        self._index()

    def _place_of(self, entry: Entry) -> int:
        """Searched from the end, where a run works."""
        place = len(self._entries) - 1
        while self._entries[place] is not entry:
            place -= 1
        return place

    def _index(self) -> None:
        self._by_id: dict[str, Entry] = {}
        self._by_call: dict[str, Call] = {}
        for entry in self._entries:
            self._add_to_index(entry)

    def _add_to_index(self, entry: Entry) -> None:
        self._by_id.setdefault(entry.id, entry)
        for call in entry.calls:
            self._by_call.setdefault(call.id, call)


Apply: TypeAlias = Callable[[History, Any, Warn], None]
"""What one type of event does to the messages; what it cannot do is told to `warn`."""


def unknown_target(event: Event, id: str, what: str) -> Notice:
    """The notice of an event that refers to what does not exist or is something else."""
    return Notice("unknown-target", event.type, f"{event.type}: {id!r} {what}")
