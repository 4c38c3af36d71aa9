"""How long another server wants to be left alone (RFC 9110, 10.2.3, and what vendors added)."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def parse_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds, or None if the headers say nothing usable.

    `retry-after-ms` wins unless it is 0, then `retry-after` as a number or as a date, where `now`
    is the time of the epoch in seconds. A date in the past is 0. Header names are lower case, or
    the mapping ignores case.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is None:
        seconds = _until(value, time.time() if now is None else now)
    return milliseconds if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
