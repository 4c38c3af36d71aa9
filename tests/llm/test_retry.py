"""When a call is tried again, and when a model is left alone."""

import pytest

from gateway.errors import ProviderError, ProviderErrorKind
from gateway.llm.breaker import Breaker
from gateway.llm.retry import Budget, Retry


def failed(
    kind: ProviderErrorKind = "server", retryable: bool = True, after: float | None = None
) -> ProviderError:
    return ProviderError(kind, "p", "x", is_retryable=retryable, retry_after=after)


def test_waits_double_up_to_a_cap_and_are_spread_from_zero() -> None:
    policy = Retry(attempts=9, base=1, cap=5)
    assert [policy.wait(n, failed(), lambda: 1.0) for n in (1, 2, 3, 4, 5)] == [1, 2, 4, 5, 5]
    assert policy.wait(3, failed(), lambda: 0.0) == 0


def test_the_hint_of_the_provider_is_a_floor_with_something_on_top() -> None:
    wait = Retry().wait(1, failed(after=2.0), lambda: 1.0)
    assert wait is not None
    assert 2.0 < wait < 2.5


@pytest.mark.parametrize(
    ("attempt", "failure"),
    [
        (3, failed()),
        (1, failed(retryable=False)),
        (1, failed(after=61.0)),
        (2, failed("malformed_response")),
    ],
)
def test_what_is_not_tried_again(attempt: int, failure: ProviderError) -> None:
    assert Retry().wait(attempt, failure) is None


def test_a_retry_takes_a_token_and_ten_successes_give_one_back() -> None:
    budget = Budget(1)
    assert budget.take()
    assert not budget.take()
    for _ in range(10):
        budget.refund()
    assert budget.tokens == pytest.approx(1)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_circuit_opens_lets_one_probe_through_and_closes_on_success() -> None:
    clock = Clock()
    breaker = Breaker(threshold=2, rest=10, clock=clock)
    breaker.failed(failed("overloaded"))
    assert breaker.remaining() == 0
    breaker.failed(failed("timeout"))
    assert breaker.remaining() == 10
    clock.now += 10
    assert breaker.remaining() == 0, "the probe"
    assert breaker.remaining() == 10, "the others wait for it"
    breaker.succeeded()
    assert breaker.remaining() == 0


def test_a_refusal_is_an_answer_and_keeps_the_circuit_closed() -> None:
    breaker = Breaker(threshold=2)
    kinds: list[ProviderErrorKind] = ["server", "auth", "server", "rate_limited"]
    for kind in kinds:
        breaker.failed(failed(kind))
    assert breaker.remaining() == 0
