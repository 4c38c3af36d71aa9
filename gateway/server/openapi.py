"""The HTTP surface as an OpenAPI 3.1 document, for `GET /openapi.json`.

Schemas are those of the Structs that decode requests, so the two cannot disagree; but the document
lets undeclared members pass, as the gateway does (it strips them).
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

import gateway
from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.input import RunAgentInput
from gateway.server.negotiation import CONTENT_TYPES

Json: TypeAlias = dict[str, Any]

MEANINGS: Final[dict[int, str]] = {
    400: "The body is not a RunAgentInput",
    401: "No valid credential",
    403: "Not open to this principal",
    404: "Nothing there",
    405: "The method is not known here",
    406: "Neither encoding is accepted",
    408: "The body took too long",
    413: "The body is too large",
    415: "The body is not JSON",
    429: "Too many runs or requests",
    500: "The gateway failed",
    502: "The server behind the agent failed",
    503: "Going down or full",
    504: "The server behind the agent did not answer in time",
}
LIMITED: Final = (429, 503)
"""Statuses that say when it is worth trying again."""

REF: Final = "#/components/schemas/"


def describe(agents: Sequence[str]) -> Json:
    """The document of a gateway that serves these agents."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "AG-UI gateway",
            "version": gateway.__version__,
            "description": gateway.__doc__,
        },
        "paths": {
            "/agents": {"get": _agents()},
            "/agents/{name}": {"parameters": [_name(agents)], "post": _run()},
            "/agents/{name}/runs/{run}/cancel": {
                "parameters": [_name(agents), _in_path("run", {"type": "string", "minLength": 1})],
                "post": _cancel(),
            },
            "/healthz": {"get": _health()},
            "/openapi.json": {"get": _openapi()},
        },
        "components": {"schemas": _schemas(), "securitySchemes": _credentials()},
    }


def _run() -> Json:
    stream = {
        "description": "The events of the run, each a frame, to the terminal event",
        "content": {kind: {"schema": {"type": "string"}} for kind in CONTENT_TYPES.values()},
    }
    return {
        "operationId": "run",
        "summary": "Run an agent and stream its events",
        "security": [{}, {"bearer": []}, {"key": []}],
        "requestBody": {"required": True, "content": _json(_ref("RunAgentInput"))},
        "responses": {"200": stream, **_errors(MEANINGS)},
    }


def _cancel() -> Json:
    done = {"runId": {"type": "string"}, "status": {"enum": ["cancelling"]}}
    return {
        "operationId": "cancel",
        "summary": "Stop a run that is open in this process",
        "security": [{}, {"bearer": []}, {"key": []}],
        "responses": {
            "202": {"description": "It is being stopped", "content": _json(_object(done))},
            **_errors((401, 403, 404, 405, 429, 500, 503)),
        },
    }


def _agents() -> Json:
    entry = _object(
        {
            "name": {"type": "string"},
            "description": {"type": "string"},
            "capabilities": _ref("AgentCapabilities"),
        },
        required=["name"],
    )
    listed = _object({"agents": {"type": "array", "items": entry}})
    return {
        "operationId": "agents",
        "summary": "The agents that the sender may use",
        "security": [{}, {"bearer": []}, {"key": []}],
        "responses": {
            "200": {"description": "The agents", "content": _json(listed)},
            **_errors((401, 405, 429, 500, 503)),
        },
    }


def _health() -> Json:
    body = _json(_object({"status": {"type": "string"}}))
    return {
        "operationId": "health",
        "summary": "Whether the process accepts runs",
        "responses": {
            "200": {"description": "It does", "content": body},
            "503": {"description": "It is going down", "content": body},
            **_errors((405,)),
        },
    }


def _openapi() -> Json:
    return {
        "operationId": "openapi",
        "summary": "This document",
        "security": [{}, {"bearer": []}, {"key": []}],
        "responses": {
            "200": {"description": "The document", "content": _json({"type": "object"})},
            **_errors((401, 405, 429, 500, 503)),
        },
    }


def _errors(statuses: Iterable[int]) -> Json:
    return {str(status): _error(status) for status in statuses}


def _error(status: int) -> Json:
    answer: Json = {"description": MEANINGS[status], "content": _json(_ref("Error"))}
    if status in LIMITED:
        seconds = {"description": "Seconds to wait", "schema": {"type": "integer", "minimum": 1}}
        answer["headers"] = {"Retry-After": seconds}
    return answer


def _schemas() -> Json:
    _, schemas = msgspec.json.schema_components(
        [RunAgentInput, AgentCapabilities], ref_template=REF + "{name}"
    )
    text = {"type": "string"}
    error = _object({"code": text, "message": text, "pointer": text}, ["code", "message"])
    return {"Error": error, **{name: _open(schema) for name, schema in schemas.items()}}


def _open(schema: Json) -> Json:
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


def _credentials() -> Json:
    return {
        "bearer": {"type": "http", "scheme": "bearer"},
        "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    }


def _name(agents: Sequence[str]) -> Json:
    return _in_path(
        "name", {"type": "string", "enum": list(agents)} if agents else {"type": "string"}
    )


def _in_path(name: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _object(properties: Json, required: list[str] | None = None) -> Json:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names}


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _ref(name: str) -> Json:
    return {"$ref": REF + name}
