"""Line separators that JSON leaves raw and naive readers split at.

U+2028, U+2029 and U+0085 may stand unescaped in JSON strings, and clients that use a language's own
line splitting cut a frame there; the gateway writes them escaped.
"""

from __future__ import annotations

from typing import Final

LINE_SEPARATOR: Final = b"\xe2\x80\xa8"
PARAGRAPH_SEPARATOR: Final = b"\xe2\x80\xa9"
NEXT_LINE: Final = b"\xc2\x85"


def escape_line_separators(json: bytes) -> bytes:
    """The same JSON text with the three separators escaped.

    They can only stand inside of strings. ASCII is the common case; else a single byte of each is
    looked for first, which costs a fraction of a search for the sequence: text with typographic
    quotes holds E2 but hardly A8 or A9, Korean text holds A8 but hardly E2.
    """
    if json.isascii():
        return json
    if b"\xe2" in json:
        if b"\xa8" in json:
            json = json.replace(LINE_SEPARATOR, b"\\u2028")
        if b"\xa9" in json:
            json = json.replace(PARAGRAPH_SEPARATOR, b"\\u2029")
    if b"\xc2" in json and b"\x85" in json:
        json = json.replace(NEXT_LINE, b"\\u0085")
    return json
