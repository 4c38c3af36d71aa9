"""`RunAgentInput` in and out: the request body that a server reads, the input that a client sends.

Both ends hold the input to the same rules (spec: `docs/spec/1.1/basic/run-input.mdx`, "unknown is
fine, malformed is not"): retired `binary` parts are translated, a null in an optional place is
absent, what is unknown is stripped with a notice, and what is malformed is refused before the run.

Nearly every body needs none of that. One typed decode into the Structs, which refuse undeclared
members, finds that out; what the Structs cannot refuse (see `_beyond_doubt`) costs a second decode,
into their strict twins. Only a body that fails one of them is decoded into plain values and walked.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET

from gateway.protocol.boundary import upgrade_messages
from gateway.protocol.enforcement import TWINS, strip
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import (
    IMPLIED_FUNCTION,
    ActivityMessage,
    AssistantMessage,
    ToolCall,
)
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.schema import SCHEMAS, Version
from gateway.protocol.values import decode_value, encode_value

_strict: Final = {
    version: msgspec.json.Decoder(twins.input).decode for version, twins in TWINS.items()
}
_decode: Final = msgspec.json.Decoder(RunAgentInput).decode


def decode_input(
    body: bytes | str, warn: Warn = ignore, version: Version = "1.0", upgrade: bool = True
) -> RunAgentInput:
    """The input that a request body holds; integers of any size in open JSON are exact.

    Raises DecodeError for a body that is not JSON and MalformedError, with the pointer of the
    value, for one that is not a `RunAgentInput`. `upgrade=False` leaves retired shapes as they are:
    unknown material like any other.
    """
    try:
        data = body.encode() if isinstance(body, str) else body
        input = _decode(data)
        if not _beyond_doubt(input):
            _strict[version](data)
        return input
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return read_input(decode_value(body), warn, version, upgrade)


def _beyond_doubt(input: RunAgentInput) -> bool:
    """Whether an input has nothing that its Structs let pass and one version or another refuses.

    That is members added by 1.1, and messages or constants left out.
    """
    messages: list[Any] = input.messages
    for message in messages:
        kind = type(message)
        if kind is ActivityMessage:
            continue
        if message.encrypted_value_type is not UNSET:
            return False
        calls = message.tool_calls if kind is AssistantMessage else UNSET
        if calls is not UNSET and any(map(_is_doubtful, calls)):
            return False
    return bool(input.messages)


def _is_doubtful(call: ToolCall) -> bool:
    return call.type is IMPLIED_FUNCTION or call.encrypted_value_type is not UNSET


def read_input(
    value: Any, warn: Warn = ignore, version: Version = "1.0", upgrade: bool = True
) -> RunAgentInput:
    """The input that a JSON value describes, by the rules of `decode_input`."""
    if upgrade and type(value) is dict and "messages" in value:
        value = {**value, "messages": upgrade_messages(value["messages"], "/messages", warn)}
    clean = strip(value, SCHEMAS[version].records[RunAgentInput], warn, lenient=True)
    return msgspec.convert(clean, RunAgentInput)


def prepare_input(
    input: RunAgentInput | dict[str, Any], warn: Warn = ignore, version: Version = "1.0"
) -> RunAgentInput:
    """The input that a client sends for `input`: by the rules of `decode_input`, and without
    activity messages, which are for the user alone. Retired parts are translated silently, since
    nothing is lost. `tools` and `context` are always there, as agents of the 0.x era insist on
    them. Raises MalformedError before anything leaves.
    """
    ready = _ready(input, warn, version)
    messages = [message for message in ready.messages if type(message) is not ActivityMessage]
    return msgspec.structs.replace(
        ready, messages=messages, tools=list(ready.tools), context=list(ready.context)
    )


def _ready(input: RunAgentInput | dict[str, Any], warn: Warn, version: Version) -> RunAgentInput:
    if isinstance(input, RunAgentInput):
        return decode_input(encode_value(input), warn, version, upgrade=False)
    if type(input) is dict and "messages" in input:
        input = {**input, "messages": upgrade_messages(input["messages"], "/messages")}
    return read_input(input, warn, version, upgrade=False)
