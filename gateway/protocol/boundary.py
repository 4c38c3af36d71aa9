"""The compatibility boundary: shapes that the protocol retired become those that replaced them.

The first stage of the consumer pipeline, always on, ahead of transformers and enforcement. It knows
the retired shapes by name and touches nothing else; whatever it makes is judged by enforcement like
any other event. What is translated, each with a notice:

- `THINKING_*` events become `REASONING_*`. The old ones had no ids, so ids are minted here.
- Content parts of type `binary` in messages become media parts by their MIME type.
- Null where older writers put it for "no value" becomes absent: `rawEvent`, the members in `NULLS`,
  `metadata` of media parts in messages, and in the echo of an input `forwardedProps`, `parameters`
  of tools and `payload` of resume entries. Null anywhere else is malformed.

Spec: `docs/spec/1.1/basic/versioning.mdx`, `DEPRECATIONS.md`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias
from uuid import uuid4

from gateway.protocol.notices import Notice, Warn, ignore

Json: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Any, str, Warn], Any]

ENVELOPE_NULLS: Final = ("rawEvent",)
NULLS: Final[dict[str, tuple[str, ...]]] = {
    "TOOL_CALL_START": ("parentMessageId", *ENVELOPE_NULLS),
    "TOOL_CALL_CHUNK": ("parentMessageId", *ENVELOPE_NULLS),
    "RUN_FINISHED": ("result", "outcome", *ENVELOPE_NULLS),
    "SUBAGENT_FINISHED": ("result", *ENVELOPE_NULLS),
}
"""Members that are absent when null, by event type; those of the envelope on every other event."""

MEDIA: Final = ("image", "audio", "video", "document")


def _new_id() -> str:
    return str(uuid4())


class Boundary:
    """The boundary of one stream: `feed` it each event as it arrives.

    `new_id` mints the ids that retired shapes lack.
    """

    def __init__(self, warn: Warn = ignore, new_id: Callable[[], str] = _new_id) -> None:
        self._warn = warn
        self._new_id = new_id
        self._span: str | None = None
        self._message: str | None = None

    def feed(self, event: Any) -> Any:
        """The event in its current shape; the same object if it was in it. Never changes `event`.

        Values that are not objects pass: they are for enforcement to judge.
        """
        if type(event) is not dict:
            return event
        name = event.get("type")
        if type(name) is not str:
            return event
        if name.startswith("THINKING_"):
            event = self._reason(name, event)
        if None in event.values():
            event = _without_nulls(NULLS.get(name, ENVELOPE_NULLS), event, "", self._warn)
        if name == "MESSAGES_SNAPSHOT":
            return _inside("messages", upgrade_messages, event, "", self._warn)
        if name == "RUN_STARTED":
            return _inside("input", _upgrade_input, event, "", self._warn)
        return event

    def _reason(self, name: str, event: Json) -> Json:
        """A `THINKING_*` event as the `REASONING_*` event that replaced it."""
        match name:
            case "THINKING_START":
                self._span = self._new_id()
                event = {key: value for key, value in event.items() if key != "title"}
                kind, id = "REASONING_START", self._span
            case "THINKING_END":
                kind, id, self._span = "REASONING_END", self._span or self._new_id(), None
            case "THINKING_TEXT_MESSAGE_START":
                self._message = self._new_id()
                kind, id = "REASONING_MESSAGE_START", self._message
                event = {**event, "role": "reasoning"}
            case "THINKING_TEXT_MESSAGE_CONTENT":
                kind, id = "REASONING_MESSAGE_CONTENT", self._message or self._new_id()
            case "THINKING_TEXT_MESSAGE_END":
                kind, id, self._message = (
                    "REASONING_MESSAGE_END",
                    self._message or self._new_id(),
                    None,
                )
            case _:
                return event
        self._warn(Notice("legacy-shape", name, f"translated the retired event {name} to {kind}"))
        return {**event, "type": kind, "messageId": id}


def upgrade_messages(messages: Any, pointer: str, warn: Warn = ignore) -> Any:
    """Messages with `binary` parts as media parts, and without null metadata on media parts."""
    return _each(_upgrade_message, messages, pointer, warn)


def _upgrade_message(message: Any, pointer: str, warn: Warn) -> Any:
    return _inside("content", partial(_each, _upgrade_part), message, pointer, warn)


def _upgrade_part(part: Any, pointer: str, warn: Warn) -> Any:
    kind = part.get("type") if type(part) is dict else None
    if kind == "binary":
        return _upgrade_binary(part, pointer, warn)
    return _without_nulls(("metadata",), part, pointer, warn) if kind in MEDIA else part


def _upgrade_binary(part: Json, pointer: str, warn: Warn) -> Json:
    """A `binary` part as a media part; one that has only an id stays, and enforcement drops it."""
    mime, source = part.get("mimeType"), _source(part)
    if type(mime) is not str or source is None:
        warn(Notice("legacy-shape", pointer, f"the binary part at {pointer!r} has no data or url"))
        return part
    warn(Notice("legacy-shape", pointer, f"translated the retired binary part at {pointer!r}"))
    family = mime.partition("/")[0]
    media: Json = {
        "type": family if family in MEDIA else "document",
        "source": {**source, "mimeType": mime},
    }
    if part.get("filename") is not None:
        media["metadata"] = {"filename": part["filename"]}
    return media


def _source(part: Json) -> Json | None:
    for kind in ("data", "url"):
        if type(part.get(kind)) is str:
            return {"type": kind, "value": part[kind]}
    return None


def _upgrade_input(value: Any, pointer: str, warn: Warn) -> Any:
    """The echo of a `RunAgentInput` without the nulls and parts of older writers."""
    value = _without_nulls(("forwardedProps",), value, pointer, warn)
    value = _inside("messages", upgrade_messages, value, pointer, warn)
    for member, null in (("tools", "parameters"), ("resume", "payload")):
        elements = partial(_each, partial(_without_nulls, (null,)))
        value = _inside(member, elements, value, pointer, warn)
    return value


def _each(change: Change, values: Any, pointer: str, warn: Warn) -> Any:
    """A list with `change` applied to each element; the same list if nothing changed."""
    if type(values) is not list:
        return values
    changed = [change(value, f"{pointer}/{index}", warn) for index, value in enumerate(values)]
    same = all(new is old for new, old in zip(changed, values, strict=True))
    return values if same else changed


def _inside(member: str, change: Change, value: Any, pointer: str, warn: Warn) -> Any:
    """An object with `change` applied to one member; the same object if nothing changed."""
    if type(value) is not dict or member not in value:
        return value
    changed = change(value[member], f"{pointer}/{member}", warn)
    return value if changed is value[member] else {**value, member: changed}


def _without_nulls(members: tuple[str, ...], value: Any, pointer: str, warn: Warn) -> Any:
    """An object without those members that hold null; the same object if none does."""
    if type(value) is not dict:
        return value
    nulls = [member for member in members if member in value and value[member] is None]
    for member in nulls:
        path = f"{pointer}/{member}"
        warn(Notice("legacy-shape", path, f"read null at {path!r} as absent"))
    return {k: v for k, v in value.items() if k not in nulls} if nulls else value
