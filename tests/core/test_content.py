"""The short way for content events: which of them are as lawful as the last one."""

from typing import Any

import pytest

from gateway.protocol import events as e
from gateway_native.binding import BINDING
from gateway_native.content import LastContent, is_plain
from tests.core.sequences import CONTENTS


@pytest.mark.parametrize("cls", CONTENTS)
def test_members_stand_where_the_short_way_looks(cls: Any) -> None:
    id, *others = cls.__struct_fields__
    assert id in ("message_id", "tool_call_id")
    assert others == ["delta", "timestamp", "raw_event", "metadata", "subagent_run_id"]


@pytest.mark.parametrize("cls", CONTENTS)
def test_plain_is_id_and_delta_and_perhaps_a_tag(cls: Any) -> None:
    def plain(*arguments: Any, **others: Any) -> bool:
        return is_plain(BINDING.astuple(cls(*arguments, **others)))

    assert plain("m", "")
    assert plain("m", "x", subagent_run_id="")
    assert not plain("m", b"x")
    assert not plain(5, "x")
    assert not plain("m", "x", subagent_run_id=None)
    for member in ("timestamp", "raw_event", "metadata"):
        assert not plain("m", "x", **{member: None})


def test_nothing_continues_a_cleared_one() -> None:
    last, event = LastContent(), e.TextMessageContent("m", "x")
    assert not last.is_continued_by(event)
    last.set(event, event.kind)
    assert last.is_continued_by(e.TextMessageContent("m", "y"))
    assert not last.is_continued_by(e.ReasoningMessageContent("m", "y"))
    last.clear()
    assert not last.is_continued_by(event)
