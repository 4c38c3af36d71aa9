"""Warnings of the consumer pipeline: material dropped, stripped, translated or downgraded.

A stage takes `warn`, a callable that gets each `Notice`; `gateway` code logs it, tests collect it.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct


class Notice(Struct, frozen=True, gc=False):
    """One warning.

    `code` names the reason: `unknown-event`, `unknown-member`, `legacy-shape`, `unappliable`,
    `unannounced-owner`, `newer-version`, `downgrade`, `mended` or `unknown-target`; `path` is the
    JSON Pointer or the event type concerned; `message` is the sentence for the log.
    """

    code: str
    path: str
    message: str


Warn: TypeAlias = Callable[[Notice], None]


def ignore(notice: Notice) -> None:
    """A `warn` that drops the notice."""
