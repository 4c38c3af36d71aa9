"""Line separators inside JSON: some SSE readers end a line at U+2028, U+2029 or U+0085.

Their UTF-8 lead bytes are shared with typographic quotes and Latin letters, so the cheap tests
come first: an ASCII chunk (one memory scan), then the last bytes of the three sequences.
"""

from __future__ import annotations


def escape_line_separators(chunk: bytes) -> bytes:
    """JSON text with U+2028, U+2029 and U+0085 written as escapes; unchanged if it has none."""
    if chunk.isascii():
        return chunk
    if b"\xe2\x80\xa8" in chunk:
        chunk = chunk.replace(b"\xe2\x80\xa8", b"\\u2028")
    if b"\xe2\x80\xa9" in chunk:
        chunk = chunk.replace(b"\xe2\x80\xa9", b"\\u2029")
    if b"\xc2\x85" in chunk:
        chunk = chunk.replace(b"\xc2\x85", b"\\u0085")
    return chunk
