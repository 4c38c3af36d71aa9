"""How runs are made: the recipe that an endpoint shares between all its runs."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from gateway.agent.limits import Limits
from gateway.agent.observer import RunObserver
from gateway.agent.request import Request
from gateway_native.chain import Transformer

Encoding: TypeAlias = Literal["sse", "protobuf", "events"]
TransformerFactory: TypeAlias = Callable[[], Transformer]


class Options(Struct, frozen=True, kw_only=True):
    """Settings of a run.

    `transformers` are factories, since a transformer holds the state of one run; `echo_input`
    puts the input on RUN_STARTED; `expose_errors` shows the text of unexpected exceptions to the
    client, for development; `encoding` is how the stream leaves, `events` meaning Structs.
    `observers` watch the runs, `name` is what they call the agent (its own name if empty).
    """

    limits: Limits = Limits()
    request: Request = Request()
    transformers: tuple[TransformerFactory, ...] = ()
    encoding: Encoding = "events"
    echo_input: bool = False
    expose_errors: bool = False
    observers: tuple[RunObserver, ...] = ()
    name: str = ""
