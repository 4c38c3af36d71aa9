"""Readers give the events that came before a fault, then raise it."""

from collections.abc import Iterator

import pytest

from gateway.errors import DecodeError
from gateway.protocol.reader import EventReader, Json


class Digits(EventReader):
    """One event for each digit; anything else is a bad frame."""

    def _read(self, chunk: bytes) -> Iterator[Json]:
        for byte in chunk.decode():
            if not byte.isdigit():
                raise DecodeError(f"not a digit: {byte}")
            yield {"type": byte}

    def _read_last(self) -> Iterator[Json]:
        yield {"type": "end"}


def test_events_come_in_order() -> None:
    reader = Digits()
    assert reader.feed(b"12") == [{"type": "1"}, {"type": "2"}]
    assert reader.finish() == [{"type": "end"}]
    assert reader.fault is None


def test_fault_after_events_is_raised_by_the_next_call() -> None:
    reader = Digits()
    assert reader.feed(b"1x2") == [{"type": "1"}]
    assert isinstance(reader.fault, DecodeError)
    with pytest.raises(DecodeError):
        reader.finish()


def test_fault_without_events_is_raised_at_once_and_ever_after() -> None:
    reader = Digits()
    for _ in range(2):
        with pytest.raises(DecodeError):
            reader.feed(b"x")
