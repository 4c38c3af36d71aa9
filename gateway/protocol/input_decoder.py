"""`RunAgentInput` in and out: the request body that a server reads, the input that a client sends.

Both ends hold the input to the same rules (spec: `docs/spec/1.1/basic/run-input.mdx`, "unknown is
fine, malformed is not"): retired `binary` parts are translated, a null in an optional place is
absent, what is unknown is stripped with a notice, and what is malformed is refused before the run.
Nearly every body needs none of that, so one typed decode finds that out and another makes the
Structs; only when the first fails is the body decoded into plain values and walked.
"""

from typing import Any, Final

import msgspec

from gateway.errors import DecodeError
from gateway.protocol.boundary import upgrade_messages
from gateway.protocol.enforcement import TWINS, strip
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import ActivityMessage
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.schema import SCHEMAS, Version

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
        _strict[version](body)
        return _decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return read_input(_decode_value(body), warn, version, upgrade)


def read_input(
    value: Any, warn: Warn = ignore, version: Version = "1.0", upgrade: bool = True
) -> RunAgentInput:
    """The input that a JSON value describes, by the rules of `decode_input`."""
    if upgrade and type(value) is dict and "messages" in value:
        value = {**value, "messages": upgrade_messages(value["messages"], "/messages", warn)}
    clean = strip(value, SCHEMAS[version].input, warn, lenient=True)
    return msgspec.convert(clean, RunAgentInput)


def prepare_input(
    input: RunAgentInput | dict[str, Any], warn: Warn = ignore, version: Version = "1.0"
) -> RunAgentInput:
    """The input that a client sends for `input`: by the rules of `decode_input`, and without
    activity messages, which are for the user alone. Raises MalformedError before anything leaves.
    """
    value = msgspec.to_builtins(input) if isinstance(input, RunAgentInput) else input
    ready = read_input(value, warn, version)
    messages = [message for message in ready.messages if type(message) is not ActivityMessage]
    return msgspec.structs.replace(ready, messages=messages)


def _decode_value(body: bytes | str) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise DecodeError(f"not JSON: {error}") from None
