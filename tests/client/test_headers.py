"""Which header fields reach another server."""

from typing import Any

import pytest

from gateway.client import HeaderPolicy


def test_configured_fields_win_over_allowed_ones() -> None:
    policy = HeaderPolicy({"Authorization": "S"}, allow=["authorization", "X-User-Token"])
    inbound = {"authorization": "U", "x-user-token": "t", "cookie": "c"}
    assert policy.outgoing(inbound) == {"authorization": "S", "x-user-token": "t"}


def test_nothing_passes_without_being_allowed() -> None:
    assert HeaderPolicy().outgoing({"authorization": "U", "x-y": "z"}) == {}


def test_a_field_that_its_connection_names_stays_there() -> None:
    policy = HeaderPolicy(allow=["x-a", "x-b"])
    assert policy.outgoing({"connection": "X-A, close", "x-a": "1", "x-b": "2"}) == {"x-b": "2"}


def test_a_value_that_could_split_the_head_is_dropped() -> None:
    assert HeaderPolicy(allow=["x-a"]).outgoing({"x-a": "1\r\nx-evil: 2"}) == {}


@pytest.mark.parametrize("name", ["connection", "Transfer-Encoding", "host", "x y", "accept"])
def test_some_fields_can_never_be_allowed(name: str) -> None:
    with pytest.raises(ValueError, match="passed on"):
        HeaderPolicy(allow=[name])


@pytest.mark.parametrize("fields", [{"te": "x"}, {"x y": "z"}, {"x": "a\nb"}, {"": "z"}])
def test_nonsense_is_refused_at_once(fields: Any) -> None:
    with pytest.raises(ValueError, match="field"):
        HeaderPolicy(fields)


def test_a_refusal_does_not_echo_the_value() -> None:
    with pytest.raises(ValueError, match="x-key") as caught:
        HeaderPolicy({"x-key": "secret\n"})
    assert "secret" not in str(caught.value)
