"""Line separators in JSON text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway_native.escape import escape_line_separators

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\u2028\u2029\x85“…è가"))


@given(texts)
def test_the_value_stays_the_same_and_no_separator_is_left(text: str) -> None:
    escaped = escape_line_separators(json.dumps(text, ensure_ascii=False).encode())
    assert json.loads(escaped) == text
    assert not set("\u2028\u2029\x85") & set(escaped.decode())


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ('"\u2028"', rb'"\u2028"'),
        ('"\u2029"', rb'"\u2029"'),
        ('"\x85"', rb'"\u0085"'),
        ('"a\u2028b\x85c\u2029"', rb'"a\u2028b\u0085c\u2029"'),
    ],
)
def test_separators_are_escaped(text: str, escaped: bytes) -> None:
    assert escape_line_separators(text.encode()) == escaped


@pytest.mark.parametrize("text", ["plain", "“quoted” – dashed…", "안녕하세요", "è\xa0©", "\u202a"])
def test_other_text_is_the_same_object(text: str) -> None:
    chunk = text.encode()
    assert escape_line_separators(chunk) == chunk
