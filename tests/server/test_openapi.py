"""The description of the HTTP surface."""

from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from gateway.server import Gateway
from gateway.server.openapi import describe
from tests.server.asgi import RUN, fetch, send
from tests.server.test_endpoint import hello

DOCUMENT = describe(["hello"])


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", **DOCUMENT})


def test_it_is_served() -> None:
    answer = fetch(Gateway({"hello": hello}), "/openapi.json")
    assert (answer.status, answer.json) == (200, DOCUMENT)


def test_its_paths_exist() -> None:
    gateway = Gateway({"hello": hello})
    for template, item in DOCUMENT["paths"].items():
        path = template.format(name="hello", run="r1") if "{" in template else template
        for method in item.keys() & {"get", "post"}:
            answer = send(gateway, path) if method == "post" else fetch(gateway, path)
            assert str(answer.status) in item[method]["responses"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (RUN, 200),
        ({**RUN, "unknown": 1}, 200),
        (
            {
                **RUN,
                "messages": [
                    {"id": "m", "role": "user", "content": [{"type": "text", "text": "x"}]}
                ],
            },
            200,
        ),
        ({"threadId": "t"}, 400),
        ({**RUN, "runId": 7}, 400),
        ({**RUN, "messages": [{"id": "m", "role": "user", "content": 7}]}, 400),
    ],
)
def test_its_schema_and_the_gateway_agree(body: dict[str, Any], status: int) -> None:
    assert send(Gateway({"hello": hello}), "/agents/hello", body).status == status
    assert schema("RunAgentInput").is_valid(body) == (status == 200)


def test_errors_are_as_described() -> None:
    gateway = Gateway({"hello": hello})
    for answer in (
        send(gateway, "/x"),
        send(gateway, "/agents/hello", b"{"),
        fetch(gateway, "/agents/hello"),
    ):
        schema("Error").validate(answer.json)
