"""Text messages (spec: `docs/spec/1.1/events/text-messages.mdx`)."""

from typing import Literal, TypeAlias

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events.base import Attributable

TextRole: TypeAlias = Literal["developer", "system", "assistant", "user"]


class TextMessageStart(Attributable, frozen=True, gc=False, tag="TEXT_MESSAGE_START"):
    """Opens a message; an absent `role` means assistant. A closed id may be opened again."""

    message_id: str
    role: TextRole | UnsetType = UNSET
    name: str | UnsetType = UNSET


class TextMessageContent(Attributable, frozen=True, gc=False, tag="TEXT_MESSAGE_CONTENT"):
    """Appends `delta`, which may be empty."""

    message_id: str
    delta: str


class TextMessageEnd(Attributable, frozen=True, gc=False, tag="TEXT_MESSAGE_END"):
    message_id: str


class TextMessageChunk(Attributable, frozen=True, gc=False, tag="TEXT_MESSAGE_CHUNK"):
    """Shorthand for start, content and end; the first chunk of a message names its id."""

    message_id: str | UnsetType = UNSET
    role: TextRole | UnsetType = UNSET
    delta: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
