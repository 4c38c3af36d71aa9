"""Argument text as models write it."""

import pytest

from gateway.llm.arguments import object_of, read_call


@pytest.mark.parametrize("text", ["", "  ", "null", " null\n"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    call = read_call("i", "n", text, cut=False)
    assert (call.text, call.arguments, call.executable) == ("{}", {}, True)
    assert not read_call("i", "n", text, cut=True).executable


@pytest.mark.parametrize("text", ['{"a":1,}', '{"a":', "[1]", "3", '"x"', '{"a":NaN}', "\ud83d"])
def test_what_is_no_object_never_runs_and_says_why(text: str) -> None:
    call = read_call("i", "n", text, cut=False)
    assert (call.arguments, call.executable, call.text) == (None, False, text)
    assert call.problem


def test_a_doubly_encoded_object_is_read() -> None:
    assert read_call("i", "n", '"{\\"a\\":1}"', cut=False).arguments == {"a": 1}


def test_integers_keep_all_their_digits() -> None:
    call = read_call("i", "n", '{"a":123456789012345678901234567890}', cut=False)
    assert call.arguments == {"a": 123456789012345678901234567890}


def test_complete_arguments_run_though_the_answer_was_cut() -> None:
    assert read_call("i", "n", '{"a":1}', cut=True).executable


def test_invalid_text_is_kept_for_a_provider_that_wants_an_object() -> None:
    assert object_of('{"a":') == {"invalid_arguments": '{"a":'}
