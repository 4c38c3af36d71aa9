"""Providers over real connections: retries, timeouts, cancellation, and what leaves no trace."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar

import pytest

from gateway.errors import ProviderError
from gateway.llm.model import Completion, Delta, Finished, Request, Settings, Started, TextDelta
from gateway.llm.providers import HttpProvider, Timeouts, anthropic, compatible, ollama, openai
from gateway.llm.retry import Retry
from tests.llm.providers.requests import user
from tests.llm.providers.upstream import (
    Exchange,
    Script,
    Upstream,
    answering,
    failing,
    frame,
    hello,
    text_chunk,
)

T = TypeVar("T")
KEY = "sk-secret-0123456789"
FAST = Retry(base=0.001)
HI = Request(messages=[user("Hi")])


def run(
    use: Callable[[HttpProvider, Upstream], Awaitable[T]], *scripts: Script, **options: Any
) -> T:
    """Use a provider of a server with these scripts, and close both."""

    async def scenario() -> T:
        async with Upstream(*scripts) as upstream:
            options.setdefault("retry", FAST)
            provider = compatible(base_url=upstream.url, model="m", api_key=KEY, **options)
            try:
                async with asyncio.timeout(20):
                    return await use(provider, upstream)
            finally:
                await provider.close()

    return asyncio.run(scenario())


async def complete(provider: HttpProvider, upstream: Upstream) -> tuple[Completion, int]:
    """The completion, and how many requests it took."""
    return await provider.complete(HI), len(upstream.exchanges)


async def failure(provider: HttpProvider, upstream: Upstream) -> tuple[ProviderError, int]:
    """The failure of a stream, and how many requests it took."""
    with pytest.raises(ProviderError) as caught:
        async for _ in provider.stream(HI):
            pass
    return caught.value, len(upstream.exchanges)


def test_an_answer_arrives_and_the_request_says_who_asks() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> None:
        deltas = [delta async for delta in provider.stream(HI)]
        assert deltas == [Started("c", "m-1"), TextDelta("Hello"), Finished("stop", "stop")]
        (exchange,) = upstream.exchanges
        assert exchange.path == "/chat/completions"
        assert exchange.headers["authorization"] == f"Bearer {KEY}"
        assert exchange.body["model"] == "m"

    run(use, hello())


def test_the_request_chooses_the_model() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> Any:
        await provider.complete(Request(messages=[user("Hi")], model="other"))
        return upstream.exchanges[0].body["model"]

    assert run(use, hello()) == "other"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    completion, requests = run(complete, failing(status), failing(status), hello())
    assert (completion.text, requests) == ("Hello", 3)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 422])
def test_a_lasting_failure_is_not_tried_again(status: int) -> None:
    error, requests = run(failure, failing(status), hello())
    assert (error.status, requests, error.is_retryable) == (status, 1, False)


def test_attempts_are_bounded() -> None:
    error, requests = run(failure, failing(503, "busy"))
    assert (error.kind, error.code, requests) == ("overloaded", "OVERLOADED", 3)


def test_retry_after_is_a_floor() -> None:
    began = time.monotonic()
    run(complete, failing(429, retry_after_ms="300"), hello())
    assert time.monotonic() - began >= 0.3


def test_a_wait_beyond_the_bound_is_not_begun_and_told() -> None:
    error, requests = run(failure, failing(429, retry_after="410400"), hello())
    assert (error.retry_after, requests) == (410400.0, 1)


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> int:
        with pytest.raises(ProviderError):
            await provider.complete(Request(messages=[user("Hi")], deadline=time.monotonic() + 5))
        return len(upstream.exchanges)

    assert run(use, failing(429, retry_after="30"), hello()) == 1


def test_the_budget_keeps_an_outage_from_multiplying_traffic() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> int:
        for _ in range(6):
            await failure(provider, upstream)
        return len(upstream.exchanges)

    assert run(use, failing(500), retry=Retry(base=0.001, budget=2)) == 8


def test_a_model_that_keeps_failing_is_left_alone_and_others_are_not() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> tuple[int, int]:
        for _ in range(12):
            await failure(provider, upstream)
        before = len(upstream.exchanges)
        with pytest.raises(ProviderError, match="other"):
            await provider.complete(Request(messages=[user("Hi")], model="other"))
        return before, len(upstream.exchanges)

    assert run(use, failing(500, "other"), retry=Retry(attempts=1)) == (10, 11)


def test_a_refused_connection_is_a_network_failure() -> None:
    async def scenario() -> ProviderError:
        async with Upstream(hello()) as upstream:
            url = upstream.url
        provider = compatible(base_url=url, model="m", retry=FAST)
        with pytest.raises(ProviderError) as caught:
            await provider.complete(HI)
        await provider.close()
        return caught.value

    error = asyncio.run(scenario())
    assert (error.kind, error.is_retryable, error.partial) == ("network", True, None)


def test_a_break_before_the_first_visible_delta_is_tried_again_without_a_trace() -> None:
    role = frame({"id": "x", "model": "m-0", "choices": [{"index": 0, "delta": {"role": "a"}}]})

    async def use(provider: HttpProvider, upstream: Upstream) -> list[Delta]:
        return [delta async for delta in provider.stream(HI)]

    deltas = run(use, answering(200, b": busy\n\n", role), hello())
    assert deltas == [Started("c", "m-1"), TextDelta("Hello"), Finished("stop", "stop")]


def test_a_break_after_it_is_told_with_what_was_said() -> None:
    error, requests = run(failure, answering(200, text_chunk("Hel")), hello())
    assert (error.kind, error.code, requests) == ("network", "PROVIDER_TRUNCATED", 1)
    assert error.partial is not None
    assert (error.partial.text, error.partial.finish_reason) == ("Hel", None)


def test_a_completion_that_broke_off_is_tried_again_as_nobody_saw_it() -> None:
    completion, requests = run(complete, answering(200, text_chunk("Hel")), hello())
    assert (completion.text, requests) == ("Hello", 2)


def test_an_error_frame_ends_the_stream_with_what_was_said() -> None:
    broken = frame({"error": {"code": 502, "message": "upstream gone"}, "choices": []})
    error, requests = run(failure, answering(200, text_chunk("Hel"), broken), hello())
    assert (error.kind, error.status, requests) == ("server", 502, 1)
    assert error.partial is not None
    assert error.partial.text == "Hel"


def test_an_error_frame_that_comes_first_is_tried_again() -> None:
    broken = frame({"error": {"code": 502, "message": "upstream gone"}, "choices": []})
    completion, requests = run(complete, answering(200, broken), hello())
    assert (completion.text, requests) == ("Hello", 2)


def test_a_reset_is_a_network_failure() -> None:
    async def reset(exchange: Exchange) -> None:
        exchange.abort()

    error, requests = run(failure, reset)
    assert (error.kind, requests) == ("network", 3)


def test_a_body_of_json_is_read_whatever_its_type_says() -> None:
    body = {"id": "c", "choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    script = answering(200, json.dumps(body).encode(), content_type="application/octet-stream")
    completion, _ = run(complete, script)
    assert (completion.text, completion.finish_reason) == ("Hi", "stop")


def test_a_web_page_is_told_without_its_markup() -> None:
    error, requests = run(failure, answering(200, b"<!doctype html><html>Login</html>"))
    assert (error.kind, requests) == ("malformed_response", 1)
    assert "<" not in error.message


def test_a_silent_server_is_given_up() -> None:
    async def silent(exchange: Exchange) -> None:
        await exchange.gone.wait()

    timeouts = Timeouts(first_byte=0.1)
    error, requests = run(failure, silent, timeouts=timeouts, retry=Retry(attempts=1))
    assert (error.kind, error.code, requests) == ("timeout", "PROVIDER_TIMEOUT", 1)


def test_a_stall_is_given_up_and_keep_alives_are_none() -> None:
    async def stall(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send(text_chunk("Hel"))
        for _ in range(8):
            await asyncio.sleep(0.05)
            await exchange.send(b": keep-alive\n\n")
        await exchange.send(text_chunk("lo"))
        await exchange.gone.wait()

    error, _ = run(failure, stall, timeouts=Timeouts(idle=0.25))
    assert error.kind == "timeout"
    assert error.partial is not None
    assert error.partial.text == "Hello"


def test_leaving_a_stream_closes_its_connection() -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.head()
        while not exchange.gone.is_set():
            await exchange.send(text_chunk("x"))
            await asyncio.sleep(0.001)

    async def use(provider: HttpProvider, upstream: Upstream) -> None:
        async with aclosing(provider.stream(HI)) as deltas:
            await anext(deltas)
        names = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # type: ignore[union-attr]
        assert names <= {"run.<locals>.scenario", "Upstream._serve", "_watch"}
        began = time.monotonic()
        await upstream.exchanges[0].gone.wait()
        assert time.monotonic() - began < 1

    run(use, endless)


def test_cancelling_the_reader_closes_its_connection() -> None:
    async def silent(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send(text_chunk("x"))
        await exchange.gone.wait()

    async def use(provider: HttpProvider, upstream: Upstream) -> None:
        task = asyncio.ensure_future(provider.complete(HI))
        while not upstream.exchanges:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await upstream.exchanges[0].gone.wait()

    run(use, silent)


def test_a_server_that_stays_open_after_the_end_does_not_hold_the_answer() -> None:
    async def lingering(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send(text_chunk("Hello", "stop") + b"data: [DONE]\n\n")
        await exchange.gone.wait()

    completion, _ = run(complete, lingering)
    assert completion.text == "Hello"


def test_a_key_that_the_provider_repeats_is_removed() -> None:
    error, _ = run(failure, failing(401, f"bad key {KEY}, use Bearer {KEY}"))
    assert KEY not in str(error)
    assert KEY not in error.message + error.reason


def test_a_request_that_cannot_be_asked_is_refused_before_any_connection() -> None:
    async def use(provider: HttpProvider, upstream: Upstream) -> int:
        with pytest.raises(ProviderError, match="/settings/seed"):
            await anthropic(model="m", api_key="k", base_url=upstream.url).complete(
                Request(messages=[user("Hi")], settings=Settings(seed=1))
            )
        return len(upstream.exchanges)

    assert run(use, hello()) == 0


def test_extra_headers_and_body_are_sent() -> None:
    settings = Settings(extra_body={"top_k": 5}, extra_headers={"X-Trace": "t"})

    async def use(provider: HttpProvider, upstream: Upstream) -> None:
        await provider.complete(Request(messages=[user("Hi")], settings=settings))
        (exchange,) = upstream.exchanges
        assert exchange.body["top_k"] == 5
        assert exchange.headers["x-trace"] == "t"

    run(use, hello())


@pytest.mark.parametrize(
    ("make", "path", "header"),
    [
        (lambda url: openai(model="m", api_key="k", base_url=f"{url}/v1/"), "/v1/chat/completions",
         ("authorization", "Bearer k")),
        (lambda url: openai(model="m", api_key="k", base_url=url, mode="responses"), "/responses",
         ("authorization", "Bearer k")),
        (lambda url: anthropic(model="m", api_key="k", base_url=url), "/v1/messages",
         ("x-api-key", "k")),
        (lambda url: ollama(model="m", base_url=url), "/api/chat",
         ("content-type", "application/json")),
    ],
)  # fmt: skip
def test_each_provider_asks_at_its_place(
    make: Callable[[str], HttpProvider], path: str, header: tuple[str, str]
) -> None:
    async def scenario() -> None:
        async with Upstream(failing(400)) as upstream:
            provider = make(upstream.url)
            with pytest.raises(ProviderError):
                await provider.complete(HI)
            await provider.close()
            (exchange,) = upstream.exchanges
            assert exchange.path == path
            assert exchange.headers[header[0]] == header[1]

    asyncio.run(scenario())


def test_a_base_url_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="expected http"):
        compatible(base_url="localhost:1", model="m")
