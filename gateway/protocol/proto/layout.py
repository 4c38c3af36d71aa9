"""Where a message is laid out unlike the JSON object that it carries.

JSON tells members of a union apart by `type`; a message has one field for each. `content` has
several types in JSON and a field for each on the wire, and an outcome is a word beside the lists
that belong to it. `TO_MESSAGE` and `FROM_MESSAGE` hold the functions for the messages concerned;
they may change the object that they are given.
"""

from collections.abc import Callable
from typing import Any, Final

from gateway.errors import DecodeError, EncodeError
from gateway.protocol.messages import MESSAGES
from gateway.protocol.proto.schema import MESSAGES as SCHEMA
from gateway.protocol.proto.schema import OPERATIONS

Json = dict[str, Any]

ROLES: Final = {cls.role for cls in MESSAGES}
PART_ROLES: Final = {"user", "tool"}
"""Roles whose content may be a list of parts."""


def _part_arm(part: Json) -> Json:
    return _arm_of(part, "InputContent")


def _source_arm(source: Json) -> Json:
    return _arm_of(source, "InputContentSource")


def _arm_of(value: Json, union: str) -> Json:
    kind = value.get("type")
    if kind not in [field.name for field in SCHEMA[union].fields]:
        raise EncodeError(f"{union}.type: {kind!r:.80} is no known type")
    return {str(kind): value}


def _split_content(message: Json) -> Json:
    content = message.get("content")
    if type(content) is list:
        message["contentParts"] = message.pop("content")
    elif message.get("role") == "activity" and "content" in message:
        message["activityContent"] = message.pop("content")
    return message


def _split_outcome(event: Json) -> Json:
    if "outcome" in event:
        outcome = event.pop("outcome")
        if type(outcome) is not dict or type(outcome.get("type")) is not str:
            raise EncodeError(f"outcome: expected an outcome, found {outcome!r:.80}")
        event |= outcome
        event["outcome"] = outcome["type"]
    return event


def _number_operation(operation: Json) -> Json:
    name = operation.get("op")
    if name not in OPERATIONS:
        raise EncodeError(f"JsonPatchOperation.op: {name!r:.80} is no operation of a JSON Patch")
    return {**operation, "op": OPERATIONS.index(name)}


TO_MESSAGE: Final[dict[str, Callable[[Json], Json]]] = {
    "InputContent": _part_arm,
    "InputContentSource": _source_arm,
    "JsonPatchOperation": _number_operation,
    "Message": _split_content,
    "RunFinishedEvent": _split_outcome,
    "SubagentFinishedEvent": _split_outcome,
    "ToolCallResultEvent": _split_content,
}


def _source_from(arms: Json) -> Json | None:
    if len(arms) > 1:
        raise DecodeError("a source has more than one kind")
    for name, source in arms.items():
        return {"type": name, **source}
    return None


def _part_from(arms: Json) -> Json | None:
    """The content part, None for one of an unknown kind or with a source of an unknown kind."""
    if len(arms) > 1:
        raise DecodeError("a content part has more than one kind")
    for name, part in arms.items():
        return None if part.get("source", arms) is None else {"type": name, **part}
    return None


def _operation_from(operation: Json) -> Json:
    """An unknown operation gets its number for a name, so that it is judged where all are."""
    number = operation["op"]
    known = 0 <= number < len(OPERATIONS)
    return {**operation, "op": OPERATIONS[number] if known else str(number)}


def _join_content(message: Json) -> Json:
    """Bring the one form of content that is there back; two forms contradict each other."""
    role = message["role"]
    parts = message.pop("contentParts")
    activity = message.pop("activityContent", None)
    if not message["toolCalls"]:
        message.pop("toolCalls")
    _check_content(role, message.get("content"), parts, activity)
    if "content" not in message:
        if role in PART_ROLES or parts:
            message["content"] = _known(parts)
        elif activity is not None:
            message["content"] = activity
    return message


def _known(parts: list[Any]) -> list[Any]:
    return [part for part in parts if part is not None]


def _check_content(role: str, text: str | None, parts: list[Any], activity: Json | None) -> None:
    if (text is not None) + bool(parts) + (activity is not None) > 1:
        raise DecodeError("a message has more than one form of content")
    if role not in ROLES:
        return
    if parts and role not in PART_ROLES:
        raise DecodeError(f"a message of the role {role} has content parts")
    if activity is not None and role != "activity":
        raise DecodeError(f"a message of the role {role} has the content of an activity")
    if text is not None and role == "activity":
        raise DecodeError("an activity has text for content")


def _join_result(event: Json) -> Json:
    parts = event.pop("contentParts")
    if "content" not in event:
        event["content"] = _known(parts)
    elif parts:
        raise DecodeError("a tool result has more than one form of content")
    return event


def _join_outcome(event: Json, *lists: str) -> Json:
    """An unknown outcome keeps its lists, so that it is judged where all are."""
    kind = event.pop("outcome")
    found = {name: event.pop(name) for name in lists}
    present = {name: items for name, items in found.items() if items}
    if not kind:
        return event | present
    if kind == "interrupt":
        present.setdefault("interrupts", [])
    return {**event, "outcome": {"type": kind, **present}}


def _run_finished_from(event: Json) -> Json:
    return _drop_usage(_join_outcome(event, "pendingToolCallIds", "interrupts"))


def _subagent_finished_from(event: Json) -> Json:
    return _join_outcome(event, "interruptIds")


def _drop_usage(event: Json) -> Json:
    """An empty list cannot be told from an absent one."""
    if not event["usage"]:
        del event["usage"]
    return event


FROM_MESSAGE: Final[dict[str, Callable[[Json], Json | None]]] = {
    "InputContent": _part_from,
    "InputContentSource": _source_from,
    "JsonPatchOperation": _operation_from,
    "Message": _join_content,
    "RunErrorEvent": _drop_usage,
    "RunFinishedEvent": _run_finished_from,
    "SubagentFinishedEvent": _subagent_finished_from,
    "ToolCallResultEvent": _join_result,
}
