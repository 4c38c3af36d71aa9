"""The messages of a thread while events build them.

Messages are frozen, and a long one comes in thousands of deltas, so an entry collects the deltas of
its message and joins them when somebody looks: the cost of a run stays linear in its length.
Ids are looked up over all messages, the first match wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from gateway.protocol.base import UNSET, Metadata, UnsetType
from gateway.protocol.messages import (
    AssistantMessage,
    BaseMessage,
    FunctionCall,
    Message,
    ToolCall,
    ToolMessage,
)


def merged(old: Metadata | UnsetType, new: Metadata | UnsetType) -> Metadata | UnsetType:
    """Metadata merges key by key, the last write wins, and never deeper than that."""
    if new is UNSET:
        return old
    return dict(new) if old is UNSET else {**old, **new}


class Entry:
    """One message, and the deltas that it has not taken in yet."""

    __slots__ = ("_args", "_message", "_text")

    def __init__(self, message: Message) -> None:
        self._message: Any = message
        self._text: list[str] = []
        self._args: dict[str, list[str]] = {}

    @property
    def message(self) -> Message:
        """The message with all its deltas."""
        if self._text:
            before = self._message.content
            start = before if isinstance(before, str) else ""
            self._message = replace(self._message, content=start + "".join(self._text))
            self._text = []
        if self._args:
            calls = [self._with_args(call) for call in self._message.tool_calls]
            self._message = replace(self._message, tool_calls=calls)
            self._args = {}
        message: Message = self._message
        return message

    @property
    def role(self) -> str:
        role: str = self._message.role
        return role

    @property
    def id(self) -> str:
        id: str = self._message.id
        return id

    def append_text(self, delta: str) -> None:
        """Append to the content; what is no text gives way to the delta."""
        self._text.append(delta)

    def append_args(self, call_id: str, delta: str) -> None:
        """Append to the arguments of a call of this message."""
        self._args.setdefault(call_id, []).append(delta)

    def change(self, **members: Any) -> None:
        """Replace members of the message."""
        self._message = replace(self.message, **members)

    def merge(self, metadata: Metadata | UnsetType) -> None:
        """Merge metadata into the message's."""
        if metadata is not UNSET:
            self.change(metadata=merged(self._message.metadata, metadata))

    def call(self, call_id: str) -> ToolCall | None:
        """The call of that id, without the arguments that are still deltas."""
        return next((call for call in _calls(self._message) if call.id == call_id), None)

    def change_call(self, call_id: str, change: Callable[[ToolCall], ToolCall]) -> None:
        """Replace the first call of that id by what `change` makes of it."""
        calls = list(_calls(self.message))
        for index, call in enumerate(calls):
            if call.id == call_id:
                calls[index] = change(call)
                break
        self._message = replace(self._message, tool_calls=calls)

    def _with_args(self, call: ToolCall) -> ToolCall:
        fragments = self._args.pop(call.id, None)
        if fragments is None:
            return call
        arguments = call.function.arguments + "".join(fragments)
        return replace(call, function=FunctionCall(call.function.name, arguments))


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

    def owner_of(self, call_id: str) -> Entry | None:
        """The message that holds the tool call of that id."""
        return self._by_call.get(call_id)

    def append(self, message: Message) -> Entry:
        """Add a message at the end."""
        entry = Entry(message)
        self._entries.append(entry)
        self._by_id.setdefault(entry.id, entry)
        for call in _calls(message):
            self._by_call.setdefault(call.id, entry)
        return entry

    def add_call(self, entry: Entry, call: ToolCall) -> None:
        """Add a call to a message of the assistant."""
        entry.change(tool_calls=[*_calls(entry.message), call])
        self._by_call.setdefault(call.id, entry)

    def insert_result(self, result: ToolMessage) -> None:
        """Put a result behind the message that made the call, and behind its other results."""
        owner = self.owner_of(result.tool_call_id)
        if owner is None:
            self.append(result)
            return
        place = self._entries.index(owner) + 1
        while place < len(self._entries) and self._entries[place].role == "tool":
            place += 1
        entry = Entry(result)
        self._entries.insert(place, entry)
        if entry.id in self._by_id:
            self._index()
        else:
            self._by_id[entry.id] = entry

    def put_in_place(self, entry: Entry, message: Message) -> Entry:
        """Replace a message by another one at its place."""
        fresh = Entry(message)
        self._entries[self._entries.index(entry)] = fresh
        self._index()
        return fresh

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

    def _index(self) -> None:
        self._by_id: dict[str, Entry] = {}
        self._by_call: dict[str, Entry] = {}
        for entry in self._entries:
            self._by_id.setdefault(entry.id, entry)
            for call in _calls(entry.message):
                self._by_call.setdefault(call.id, entry)


def _calls(message: BaseMessage) -> list[ToolCall]:
    if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET:
        return message.tool_calls
    return []
