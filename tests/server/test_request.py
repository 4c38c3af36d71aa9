"""Reading a request."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ClientLeftError, RefusedError
from gateway.server.asgi import Message, Receive
from gateway.server.request import Body, depth, fields, path, require_json, run_input
from tests.server.asgi import http_scope, run


def receiving(*messages: Message) -> Receive:
    """A `receive` that gives these messages in turn."""
    waiting = iter(messages)

    async def receive() -> Message:
        return next(waiting)

    return receive


def parts(chunks: Iterable[bytes]) -> Receive:
    """A `receive` that gives a body in chunks."""
    body: list[Message] = [
        {"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks
    ]
    return receiving(*body, {"type": "http.request"})


@pytest.mark.parametrize(
    ("root", "whole", "below"),
    [
        ("", "/agents/echo", "/agents/echo"),
        ("/ui", "/ui/agents/echo", "/agents/echo"),
        ("/ui/", "/ui/agents/echo", "/agents/echo"),
        ("/ui", "/agents/echo", "/agents/echo"),
        ("/ui", "/uix/agents", "/uix/agents"),
        ("/ui", "/ui", "/"),
        ("/agents", "/agents/agents", "/agents"),
        ("/", "/agents", "/agents"),
        ("/ui", "/agents/echo/", "/agents/echo"),
        ("/ui", "/ui/", "/"),
        ("", "/", "/"),
    ],
)
def test_the_mount_point_is_cut_off_once(root: str, whole: str, below: str) -> None:
    assert path(http_scope("GET", whole, root_path=root)) == below


def test_a_prefix_that_a_proxy_has_cut_off_is_not_looked_for() -> None:
    scope = {**http_scope("GET", "/ui/agents", root_path="/proxy/ui"), "app_root_path": "/proxy"}
    assert path(scope) == "/agents"


def test_lines_of_one_field_are_joined() -> None:
    scope = http_scope("GET", "/", [("Accept", "a/b"), ("x", "1"), ("accept", "c/d")])
    assert fields(scope) == {"accept": "a/b, c/d", "x": "1"}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        " ",
        "application/json",
        "APPLICATION/JSON",
        "application/json;charset=utf-8",
        ' application/json ; charset="utf-8"',
        "text/json",
        "application/vnd.ag-ui+json",
        "application/problem+json;q=1",
    ],
)
def test_json_is_accepted(content_type: str | None) -> None:
    require_json(content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/plain;charset=application/json",
        "application/json, text/plain",
        "application/jsonx",
        "xapplication/json",
        "+json",
        "a/b/c+json",
        "json",
    ],
)
def test_what_is_not_json_is_refused(content_type: str) -> None:
    with pytest.raises(RefusedError) as caught:
        require_json(content_type)
    assert (caught.value.status, caught.value.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_is_put_together() -> None:
    assert run(Body(parts([b"ab", b"", b"c"])).read(3, None)) == b"abc"
    assert run(Body(parts([])).read(3, "3")) == b""


@pytest.mark.parametrize("length", ["4", "0005", "9" * 5000])
def test_a_body_is_refused_by_its_announced_length_before_it_is_read(length: str) -> None:
    with pytest.raises(RefusedError) as caught:
        run(Body(receiving()).read(3, length))
    assert (caught.value.status, caught.value.code) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize("length", [None, "1", "-1", "x", "²"])
def test_a_body_is_refused_while_it_is_read(length: str | None) -> None:
    endless: list[Message] = [{"type": "http.request", "body": b"ab", "more_body": True}] * 2
    with pytest.raises(RefusedError) as caught:
        run(Body(receiving(*endless)).read(3, length))
    assert caught.value.status == 413


def test_a_client_that_leaves_while_sending_gets_no_answer() -> None:
    first: Message = {"type": "http.request", "body": b"{", "more_body": True}
    with pytest.raises(ClientLeftError):
        run(Body(receiving(first, {"type": "http.disconnect"})).read(3, None))


@pytest.mark.parametrize("body", [b"", b" \r\n"])
def test_an_empty_body_is_called_empty(body: bytes) -> None:
    with pytest.raises(RefusedError, match="empty") as caught:
        run_input(body, 100, 20)
    assert (caught.value.status, caught.value.code) == (400, "INVALID_INPUT")


def test_what_is_not_json_text_is_refused_without_a_pointer() -> None:
    with pytest.raises(RefusedError) as caught:
        run_input(b'{"threadId": ', 100, 20)
    assert (caught.value.status, caught.value.pointer) == (400, None)


def test_a_malformed_member_is_pointed_at() -> None:
    with pytest.raises(RefusedError) as caught:
        run_input(b'{"threadId": 7, "runId": "r", "messages": []}', 100, 20)
    assert (caught.value.status, caught.value.pointer) == (400, "/threadId")


def test_an_input_is_decoded() -> None:
    assert run_input(b'{"threadId": "t", "runId": "r", "messages": []}', 100, 20).thread_id == "t"


def test_what_a_refused_client_goes_on_sending_is_read_and_forgotten() -> None:
    async def scenario() -> None:
        waiting = [b"ab"] * 5
        body = Body(parts(waiting))
        with pytest.raises(RefusedError):
            await body.read(3, None)
        await body.discard()
        assert await body.read(3, None) == b""

    run(scenario())


def test_nothing_is_awaited_after_a_complete_body() -> None:
    async def scenario() -> None:
        body = Body(parts([]))
        await body.read(3, None)
        await body.discard()

    run(scenario())


def test_a_refused_client_may_leave() -> None:
    first: Message = {"type": "http.request", "body": b"ab", "more_body": True}
    run(Body(receiving(first, {"type": "http.disconnect"})).discard())


def test_a_body_that_trickles_in_is_given_up() -> None:
    async def scenario() -> None:
        async def never() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        with pytest.raises(RefusedError) as caught:
            await Body(never).read(100, None, 0.01)
        assert (caught.value.status, caught.value.code) == (408, "BODY_TIMEOUT")

    run(scenario())


@pytest.mark.parametrize(
    ("body", "levels"),
    [
        (b"", 0),
        (b"1", 0),
        (b"[]", 1),
        (b'{"a": [1, {"b": []}], "c": [[]]}', 4),
        (b'["[[[[", "{{"]', 1),
        (rb'["\"[[[", [1]]', 2),
        (rb'["\\", [1]]', 2),
        (rb'["\\\"[[", [[]]]', 3),
        (b"[[[", 3),
        (b"]]][", -1),
        (b'["[[[', 1),
    ],
)
def test_depth_counts_brackets_outside_of_strings(body: bytes, levels: int) -> None:
    assert depth(body) == levels


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


def levels(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(levels, value.values()), default=0)
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


@given(json_values, st.booleans())
def test_depth_is_that_of_the_value(value: Any, ascii: bool) -> None:
    assert depth(json.dumps(value, ensure_ascii=ascii).encode()) == levels(value)


def nested(count: int) -> bytes:
    state = b"[" * count + b"]" * count
    return b'{"threadId": "t", "runId": "r", "messages": [], "state": ' + state + b"}"


def test_what_is_nested_too_deeply_is_refused_before_it_is_decoded() -> None:
    assert run_input(nested(19), 100, 20).state is not None
    for count in (20, 1000, 1_000_000):
        with pytest.raises(RefusedError, match="nested deeper than 20 levels") as caught:
            run_input(nested(count), 100, 20)
        assert caught.value.status == 400


def test_too_many_messages_are_refused() -> None:
    message = {"id": "m", "role": "user", "content": "x"}
    body = json.dumps({"threadId": "t", "runId": "r", "messages": [message] * 3}).encode()
    assert len(run_input(body, 3, 20).messages) == 3
    with pytest.raises(RefusedError, match="more than 2 messages") as caught:
        run_input(body, 2, 20)
    assert (caught.value.status, caught.value.pointer) == (400, "/messages")


def test_a_page_must_say_that_it_sends_json() -> None:
    require_json(None)
    require_json("application/json", "https://a.example")
    for content_type in (None, "", "text/plain"):
        with pytest.raises(RefusedError) as caught:
            require_json(content_type, "https://a.example")
        assert caught.value.status == 415
