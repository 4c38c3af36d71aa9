"""Multimodal content parts and their sources (spec: `docs/spec/1.1/basic/run-input.mdx`)."""

from typing import TypeAlias

from gateway.protocol.base import UNSET, Present, UnsetType, Wire


class Source(Wire, frozen=True, tag_field="type"):
    """Where the bytes of a media part are."""


class DataSource(Source, frozen=True, gc=False, tag="data"):
    """Inline content: base64 in `value`."""

    value: str
    mime_type: str


class UrlSource(Source, frozen=True, gc=False, tag="url"):
    """Content behind a URL. The gateway never fetches it."""

    value: str
    mime_type: str | UnsetType = UNSET


class FileSource(Source, frozen=True, gc=False, tag="file"):
    """A file that a provider holds; `value` is its handle, never fetched or parsed."""

    value: str
    provider: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET


PartSource: TypeAlias = DataSource | UrlSource | FileSource


class Part(Wire, frozen=True, kw_only=True, tag_field="type"):
    """One element of a multimodal content list. `metadata` is any JSON value but null."""

    id: str | UnsetType = UNSET
    metadata: Present | UnsetType = UNSET


class TextPart(Part, frozen=True, tag="text"):
    text: str


class ImagePart(Part, frozen=True, tag="image"):
    source: PartSource


class AudioPart(Part, frozen=True, tag="audio"):
    source: PartSource


class VideoPart(Part, frozen=True, tag="video"):
    source: PartSource


class DocumentPart(Part, frozen=True, tag="document"):
    source: PartSource


ContentPart: TypeAlias = TextPart | ImagePart | AudioPart | VideoPart | DocumentPart
