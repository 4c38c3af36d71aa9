"""Watching runs from outside: metrics, logs and traces, without a call in the path of an event.

An observer is asked once for each run, in the context of the run's task, so that context variables
it sets are seen by the agent and by everything the agent calls. What it answers with hears of the
rare events (`gateway_native.gate.WATCHED`: steps, subagents, tool calls, states, the terminal) and
of the end. Everything else is in counters that the stream has anyway, read from the record when it
is over. An observer that raises is logged; the run never notices.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextvars import Context, copy_context
from typing import Protocol

from gateway.agent.record import RunRecord
from gateway.protocol.events import Event

logger = logging.getLogger("gateway.agent")


class Observation:
    """One observed run; a subclass overrides what it wants to hear."""

    def event(self, event: Event) -> None:
        """An event of the watched kinds has been accepted for the stream."""

    def end(self) -> None:
        """The run is over and its agent has been left; the record is complete. Called once."""


class RunObserver(Protocol):
    """Shared by all runs; `Options.observers` holds them in the order in which they are asked."""

    def observe(self, record: RunRecord, /) -> Observation | None:
        """A run is about to start; None to hear no more of it."""


class Observed:
    """The observations of one run."""

    __slots__ = ("_observations", "_observers", "record")

    def __init__(self, observers: Iterable[RunObserver], record: RunRecord) -> None:
        self.record = record
        self._observers = observers
        self._observations: list[Observation] = []

    def begin(self) -> Context:
        """Ask the observers; returns the context in which the run shall be done."""
        self.record.begin()
        context = copy_context()
        context.run(self._ask)
        return context

    def event(self, event: Event) -> None:
        """Pass a watched event on."""
        self.record.hear(event)
        for observation in self._observations:
            try:
                observation.event(event)
            except Exception:
                logger.exception("%r failed at an event", type(observation).__qualname__)

    def end(self) -> None:
        """Tell of the end; a second time does nothing."""
        if not self.record.end():
            return
        for observation in self._observations:
            try:
                observation.end()
            except Exception:
                logger.exception("%r failed at the end", type(observation).__qualname__)

    def _ask(self) -> None:
        for observer in self._observers:
            try:
                observation = observer.observe(self.record)
            except Exception:
                logger.exception("%r failed at the start", type(observer).__qualname__)
                continue
            if observation is not None:
                self._observations.append(observation)
