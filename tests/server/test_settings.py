"""Settings refuse nonsense."""

import pytest

from gateway.server import Settings


def test_defaults_are_eight_mebibytes_and_fifteen_seconds() -> None:
    assert (Settings().max_body, Settings().keep_alive) == (8 * 1024 * 1024, 15)


@pytest.mark.parametrize("bad", [0, -1])
def test_a_body_limit_below_one_byte_is_refused(bad: int) -> None:
    with pytest.raises(ValueError, match="max_body"):
        Settings(max_body=bad)


@pytest.mark.parametrize("bad", [-1.0, float("inf"), float("nan")])
def test_a_keep_alive_that_is_no_duration_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="keep_alive"):
        Settings(keep_alive=bad)
