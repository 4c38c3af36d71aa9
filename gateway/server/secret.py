"""`Secret`: a string that does not show itself."""

from typing import Final

HIDDEN: Final = "***"


class Secret(str):
    """A key or password of the configuration: its `repr` hides it, logs and tracebacks with it.

    It is the text itself wherever a string is wanted; do not format it into messages.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"'{HIDDEN}'"
