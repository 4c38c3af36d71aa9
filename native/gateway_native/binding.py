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
        self.classes: list[Any] = []
        """The event class of each kind, indexed by kind."""
        self.encode_lines: Any = None
        """Events (a list) to JSON lines, each ended by LF."""
        self.encode_strings: Any = None
        """Strings (a list) to JSON lines, each ended by LF; UnicodeEncodeError at a surrogate."""
        self.check: Any = None
        """Raises ValueError for an event whose fields hold values of a wrong type or range."""


BINDING: Final = Binding()


def bind(
    unset: object,
    classes: list[Any],
    encode_lines: Callable[[list[Any]], bytes],
    encode_strings: Callable[[list[str]], bytes],
    check: Callable[[Any], None],
) -> None:
    """Hand the wire layer to the core; called once, when `gateway.protocol` is imported."""
    BINDING.unset = unset
    BINDING.classes = classes
    BINDING.encode_lines = encode_lines
    BINDING.encode_strings = encode_strings
    BINDING.check = check
