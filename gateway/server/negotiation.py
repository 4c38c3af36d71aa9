"""Content negotiation: which encoding the `Accept` field of a request asks for.

The rules are those of RFC 9110 section 12.5.1: of the ranges that match a type the most specific
one gives its weight, and 0 refuses it. A range that is no media range, or whose weight is no
number, is ignored, and a field without any range counts as absent.

One departure is deliberate. The binding lets `*/*` select protobuf
(`docs/spec/1.1/basic/transports/http-protobuf.mdx`), but curl, browsers and HTTP libraries send it
by default and read text; so protobuf goes to whoever names it and nobody else. Whoever refuses SSE
by name and admits the rest by a wildcard gets SSE nevertheless: nothing says that it can read
frames. The weights of two admitted types are not compared, as that page says.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from gateway.errors import RefusedError
from gateway.protocol.proto import MEDIA_TYPE

Encoding: TypeAlias = Literal["sse", "protobuf"]

CONTENT_TYPES: Final[dict[Encoding, str]] = {
    "sse": "text/event-stream",
    "protobuf": MEDIA_TYPE,
}
_PARAMETERS: Final[dict[Encoding, dict[str, str]]] = {"sse": {"charset": "utf-8"}, "protobuf": {}}

_NAMED: Final = 2
"""The specificity from which on a range names the type itself, not a wildcard."""

_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_RANGE: Final = re.compile(rf"({_TOKEN})/({_TOKEN})")
_WEIGHT: Final = re.compile(r"\+?(\d+\.?\d*|\.\d+)")


class MediaRange(NamedTuple):
    """One element of an `Accept` field; all names are lower case, `weight` is within 0…1."""

    type: str
    subtype: str
    parameters: dict[str, str]
    weight: float


class Match(NamedTuple):
    """How a range matches a type; the greatest of several counts."""

    specificity: int
    weight: float


def negotiate(accept: str | None) -> Encoding:
    """The encoding for an `Accept` field, several lines joined by commas, None when absent.

    Raises RefusedError (406) when the field admits neither type.
    """
    ranges = list(media_ranges(accept or ""))
    if not ranges:
        return "sse"
    sse, protobuf = _best(ranges, "sse"), _best(ranges, "protobuf")
    if protobuf.weight > 0 and protobuf.specificity >= _NAMED:
        return "protobuf"
    if sse.weight > 0 or protobuf.weight > 0:
        return "sse"
    raise RefusedError(
        406,
        "NOT_ACCEPTABLE",
        f"This resource is offered as {' and '.join(CONTENT_TYPES.values())}.",
        headers=((b"vary", b"Accept"),),
    )


def media_ranges(accept: str) -> Iterator[MediaRange]:
    """The ranges of an `Accept` field in their order."""
    for element in _split(accept, ","):
        name, *rest = _split(element, ";")
        found = _RANGE.fullmatch(name.strip())
        if found is None:
            continue
        kind, subtype = found[1].lower(), found[2].lower()
        if kind == "*" and subtype != "*":
            continue
        parameters, weight = _parameters(rest)
        if weight is not None:
            yield MediaRange(kind, subtype, parameters, weight)


def _parameters(texts: list[str]) -> tuple[dict[str, str], float | None]:
    """Parameters before the weight, and the weight: None if it is no number."""
    parameters: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        name, value = name.strip().lower(), _unquote(value.strip())
        if name == "q":
            return parameters, _weight(value)
        if name:
            parameters[name] = value.lower()
    return parameters, 1.0


def _weight(value: str) -> float | None:
    found = _WEIGHT.match(value)
    return None if found is None else min(float(found[1]), 1.0)


def _unquote(value: str) -> str:
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1])


def _split(text: str, separator: str) -> list[str]:
    """Parts of a text between separators that stand outside quoted strings."""
    if '"' not in text:
        return text.split(separator)
    parts = re.findall(rf'(?:"(?:\\.|[^"\\])*"|[^{separator}])+', text)
    return [str(part) for part in parts] or [""]


def _best(ranges: list[MediaRange], encoding: Encoding) -> Match:
    found = [match for each in ranges if (match := _match(each, encoding))]
    return max(found, default=Match(-1, 0.0))


def _match(media: MediaRange, encoding: Encoding) -> Match | None:
    kind, _, subtype = CONTENT_TYPES[encoding].partition("/")
    if media.type not in ("*", kind) or media.subtype not in ("*", subtype):
        return None
    own = _PARAMETERS[encoding]
    if any(own.get(name) != value for name, value in media.parameters.items()):
        return None
    specificity = (media.type != "*") + (media.subtype != "*")
    return Match(specificity + bool(media.parameters), media.weight)
