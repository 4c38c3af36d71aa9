"""What the core needs from the wire layer: event classes and the encoder, bound once at import.

The core defines no Structs and imports nothing but the standard library; `gateway.protocol` hands
in its event classes here. Reading an attribute of this object costs about 3 ns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


class Binding:
    """One slot for each thing that the core takes from `gateway.protocol`."""

    def __init__(self) -> None:
        self.unset: Any = None
        """The value of an absent member."""
        self.classes: list[Any] = []
        """The event class of each kind, indexed by kind."""
        self.interrupt_outcome: Any = None
        """The class of an outcome that asks."""
        self.encode: Any = None
        """One event, or a string, to JSON."""
        self.decode: Any = None
        """JSON text to a value, or an error."""
        self.encode_lines: Any = None
        """A list of events without open members, or of strings, to JSON lines ended by LF."""
        self.check: Any = None
        """Raises an error for an event whose members hold values of a wrong type or range."""
        self.astuple: Any = None
        """The members of an event, in the order of its class."""


BINDING: Final = Binding()


def bind(
    unset: object,
    classes: list[Any],
    interrupt_outcome: Any,
    encode: Callable[[Any], bytes],
    decode: Callable[[str], Any],
    encode_lines: Callable[[list[Any]], bytes],
    check: Callable[[Any], None],
    astuple: Callable[[Any], tuple[Any, ...]],
) -> None:
    """Hand the wire layer to the core; called once, when `gateway.protocol` is imported."""
    BINDING.unset = unset
    BINDING.classes = classes
    BINDING.interrupt_outcome = interrupt_outcome
    BINDING.encode = encode
    BINDING.decode = decode
    BINDING.encode_lines = encode_lines
    BINDING.check = check
    BINDING.astuple = astuple
