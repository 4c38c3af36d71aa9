"""Keeping secrets out of logs.

The gateway logs no header, body, message or state. What may still carry a secret is the text of an
exception that an agent or a library raised, so every formatted line passes `mask`: credentials of
the request that is being served are replaced wherever they occur, and whatever looks like a
credential is, too.
"""

import re
from collections.abc import Mapping
from typing import Final

CREDENTIALS: Final = (
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "x-auth-token",
)
"""Header fields whose values are secret."""

MASK: Final = "[secret]"
SHORTEST: Final = 6
"""Characters below which a credential is no secret worth the text that its mask would destroy."""

_PATTERNS: Final = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"),
    re.compile(
        r"(?i)((?:authorization|cookie|api[-_]?key|password|passwd|secret|[-_]token(?!s))"
        r"[\w-]*[\"']?\s*(?:=>|[:=,])\s*b?[\"']?)(?!\[secret\])(?:(?:bearer|basic)\s+)?[^\s\"',;)}&]+"
    ),
    re.compile(r"\b()(?:sk|pk|rk|xox[abp]|gh[pousr]|AIza|AKIA)[-_]?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b()eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    re.compile(r"(\w://)[^\s/@:]+:[^\s/@]+(?=@)"),
)
_KEPT: Final = (r"\1 ", r"\1", r"\1", r"\1", r"\1")


def mask(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text without `secrets` and without what looks like one."""
    for secret in secrets:
        text = text.replace(secret, MASK)
    for pattern, kept in zip(_PATTERNS, _KEPT, strict=True):
        text = pattern.sub(kept + MASK, text)
    return text


def credentials(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The secrets in the header fields of a request, the longest first."""
    found: set[str] = set()
    for name in CREDENTIALS:
        if value := headers.get(name):
            found.add(value)
            found.update(re.split(r"[\s;,]+|(?<=[\w])=(?=[^=])", value))
    return tuple(sorted((s for s in found if len(s) >= SHORTEST), key=len, reverse=True))
