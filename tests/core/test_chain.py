"""The chain: order, routes, and who is named when something fails."""

from typing import Any

import pytest

from gateway.errors import TransformerError
from gateway.protocol.events import Custom, Event, TextMessageContent, TextMessageEnd
from gateway_native import kinds
from gateway_native.chain import Chain, Transformer

CONTENT = TextMessageContent("m", "a")


def through(chain: Chain, event: Event) -> Any:
    return chain.transform(event, event.kind)


class Append(Transformer):
    """Appends to deltas; remembers the kinds that it saw."""

    kinds = (TextMessageContent,)

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix
        self.seen: list[str] = []

    def transform(self, event: Any) -> Any:
        self.seen.append(event.type)
        return event.__replace__(delta=event.delta + self.suffix)


class Double(Transformer):
    kinds = frozenset({kinds.TEXT_MESSAGE_CONTENT})

    def transform(self, event: Any) -> Any:
        return [event, Custom("twice", None), event]


class Drop(Transformer):
    def transform(self, event: Any) -> Any:
        return None


class Fail(Transformer):
    def transform(self, event: Any) -> Any:
        raise KeyError("secret")


class Hold(Transformer):
    def transform(self, event: Any) -> Any:
        return event

    def finish(self) -> Any:
        return CONTENT


class Nonsense(Transformer):
    def __init__(self, output: object) -> None:
        self.output = output

    def transform(self, event: Any) -> Any:
        return self.output


def test_an_empty_chain_passes_the_event_itself() -> None:
    assert through(Chain([]), CONTENT) is CONTENT
    assert Chain([]).finish() == []


def test_transformers_see_what_those_before_them_gave() -> None:
    assert through(Chain([Append("b"), Append("c")]), CONTENT).delta == "abc"


def test_kinds_that_nobody_wants_go_by() -> None:
    append = Append("b")
    end = TextMessageEnd("m")
    chain = Chain([append])
    assert through(chain, end) is end
    assert append.seen == []
    assert chain.wants(kinds.TEXT_MESSAGE_CONTENT)
    assert not chain.wants(kinds.TEXT_MESSAGE_END)


def test_several_events_go_on_one_by_one_each_by_its_own_route() -> None:
    chain = Chain([Double(), Append("b")])
    out = through(chain, CONTENT)
    assert [getattr(event, "delta", event.type) for event in out] == ["ab", "CUSTOM", "ab"]


def test_what_is_dropped_reaches_nobody() -> None:
    append = Append("b")
    assert through(Chain([Drop(), append]), CONTENT) is None
    assert append.seen == []


def test_what_is_held_goes_through_those_behind() -> None:
    assert [event.delta for event in Chain([Hold(), Append("b")]).finish()] == ["ab"]
    assert [event.delta for event in Chain([Append("b"), Hold()]).finish()] == ["a"]


def test_a_failure_names_the_transformer_and_keeps_its_text_out_of_the_message() -> None:
    with pytest.raises(TransformerError) as caught:
        through(Chain([Append("b"), Fail()]), CONTENT)
    assert caught.value.transformer == "Fail"
    assert caught.value.event_type == "TEXT_MESSAGE_CONTENT"
    assert isinstance(caught.value.cause, KeyError)
    assert "secret" not in str(caught.value)


def test_a_failure_behind_several_events_names_the_right_transformer() -> None:
    with pytest.raises(TransformerError) as caught:
        through(Chain([Double(), Append("b"), Fail()]), CONTENT)
    assert caught.value.transformer == "Fail"


@pytest.mark.parametrize("output", [3, "text", object(), [3], [None], {"type": "CUSTOM"}])
def test_what_is_no_event_is_a_failure(output: object) -> None:
    with pytest.raises(TransformerError) as caught:
        through(Chain([Nonsense(output)]), CONTENT)
    assert caught.value.transformer == "Nonsense"


def test_a_tuple_is_as_good_as_a_list() -> None:
    assert through(Chain([Nonsense((CONTENT, CONTENT))]), CONTENT) == [CONTENT, CONTENT]
    assert through(Chain([Nonsense(())]), CONTENT) == []
