"""Which server is asked, and which is left alone."""

import pytest

from gateway.client import Breaker
from gateway.client.upstream import LONGEST_SHUNNING, Upstream, Upstreams

URLS = [f"http://10.0.0.{n}/run" for n in range(4)]


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def _upstream(failures: int = 3) -> tuple[Upstream, Clock]:
    clock = Clock()
    return Upstream(URLS[0], Breaker(failures=failures, cooldown=30), clock), clock


def test_failures_in_succession_open_the_breaker_until_the_cooldown_is_over() -> None:
    upstream, clock = _upstream()
    for _ in range(2):
        upstream.failed()
        assert upstream.available
    upstream.failed()
    assert not upstream.available
    clock.now = 29.9
    assert upstream.wait == pytest.approx(0.1)
    clock.now = 30
    assert upstream.available


def test_a_success_forgets_failures() -> None:
    upstream, _ = _upstream(2)
    upstream.failed()
    upstream.succeeded()
    upstream.failed()
    assert upstream.available


def test_one_probe_at_a_time_decides() -> None:
    upstream, clock = _upstream(1)
    upstream.failed()
    clock.now = 31
    upstream.claim()
    assert not upstream.available
    upstream.failed()
    assert not upstream.available
    clock.now = 62
    upstream.claim()
    upstream.succeeded()
    upstream.claim()
    assert upstream.available


def test_a_probe_that_says_nothing_lets_another_through() -> None:
    upstream, clock = _upstream(1)
    upstream.failed()
    clock.now = 31
    upstream.claim()
    upstream.released()
    assert upstream.available


def test_retry_after_is_honoured_within_reason() -> None:
    upstream, clock = _upstream()
    upstream.failed(retry_after=7)
    assert upstream.wait == 7
    clock.now = 7
    assert upstream.available
    upstream.failed(retry_after=1e9)
    assert upstream.wait == LONGEST_SHUNNING


def test_failover_keeps_the_order() -> None:
    order = Upstreams(URLS).order("any")
    assert [upstream.url for upstream in order] == URLS


def test_sticky_threads_move_only_when_their_server_goes() -> None:
    threads = [f"t{n}" for n in range(200)]
    four = {t: Upstreams(URLS, "sticky").order(t)[0].url for t in threads}
    three = {t: Upstreams(URLS[:3], "sticky").order(t)[0].url for t in threads}
    assert {url: list(four.values()).count(url) > 20 for url in URLS} == dict.fromkeys(URLS, True)
    assert all(three[t] == four[t] for t in threads if four[t] != URLS[3])


def test_credentials_stay_out_of_names() -> None:
    assert "secret" not in repr(Upstream("http://u:secret@h/run?key=secret"))


@pytest.mark.parametrize("settings", [{"failures": 0}, {"cooldown": 0.0}])
def test_a_breaker_must_make_sense(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="failures"):
        Breaker(**settings)  # type: ignore[arg-type]
