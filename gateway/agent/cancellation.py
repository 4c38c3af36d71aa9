"""Cancellation of a run: a token that trips once, with a reason.

Tripping the token interrupts the agent's await (its `finally` blocks run) and refuses whatever it
emits afterwards; the run then closes what is open and ends by the reason:

    client-left   nobody reads any more        the cancelled outcome
    stopped       somebody asked for it        the cancelled outcome
    deadline      a time limit of the run      RUN_ERROR TIMEOUT
    shutdown      the process goes down        RUN_ERROR SHUTTING_DOWN
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias, TypeVar, cast

T = TypeVar("T")

Reason: TypeAlias = Literal["client-left", "stopped", "deadline", "shutdown"]
REASONS: tuple[Reason, ...] = ("client-left", "stopped", "deadline", "shutdown")


class CancelToken:
    """Trips at most once; the first reason and detail stay."""

    __slots__ = ("_callbacks", "_detail", "_reason")

    def __init__(self) -> None:
        self._reason: Reason | None = None
        self._detail = ""
        self._callbacks: list[Callable[[], None]] = []

    @property
    def reason(self) -> Reason | None:
        """Why the token tripped, None while it has not."""
        return self._reason

    @property
    def detail(self) -> str:
        """A sentence on the reason for the log and for the terminal event; may be empty."""
        return self._detail

    @property
    def tripped(self) -> bool:
        return self._reason is not None

    def cancel(self, reason: Reason = "stopped", detail: str = "") -> bool:
        """Trip the token; False if it had tripped before, in which case nothing changes."""
        if reason not in REASONS:
            raise ValueError(f"unknown reason {reason!r}: expected one of {', '.join(REASONS)}")
        if self._reason is not None:
            return False
        self._reason = reason
        self._detail = detail
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
        return True

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when the token trips (at once if it has); returns how to forget it."""
        if self.tripped:
            callback()
            return _nothing
        self._callbacks.append(callback)
        return lambda: self._forget(callback)

    def _forget(self, callback: Callable[[], None]) -> None:
        if callback in self._callbacks:
            self._callbacks.remove(callback)

    async def wait(self) -> Reason:
        """Return the reason as soon as the token trips."""
        tripped = asyncio.Event()
        forget = self.on_cancel(tripped.set)
        try:
            await tripped.wait()
        finally:
            forget()
        return cast(Reason, self._reason)

    async def until_cancelled(self, awaitable: Awaitable[T]) -> T | None:
        """The result of `awaitable`, or None if the token trips first, which cancels it.

        A token that trips also interrupts the task of its run; here that interruption is taken
        back, as returning None says the same. A cancellation from anywhere else passes through.
        """
        work = asyncio.ensure_future(awaitable)
        forget = self.on_cancel(lambda: _cancel(work))
        try:
            return await work
        except asyncio.CancelledError:
            if not self.tripped:
                raise
            _take_back_interruption()
            return None
        finally:
            forget()
            if not work.done():
                work.cancel()


def _cancel(work: asyncio.Future[T]) -> None:
    work.cancel()


def _nothing() -> None:
    """Forget a callback that has already run."""


def _take_back_interruption() -> None:
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        task.uncancel()
