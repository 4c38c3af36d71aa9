"""The end of a `with` statement: what it opened is ended, and an error inside is not covered up."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from gateway.errors import GatewayError

logger = logging.getLogger("gateway.agent")


class Closing:
    """A context manager that calls `end`; a failure of that is raised unless one is on its way."""

    __slots__ = ()

    def end(self) -> None:
        """End it; a second time does nothing."""
        raise NotImplementedError

    @property
    def _title(self) -> str:
        """What the log calls it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.end()
        except GatewayError:
            if error is None:
                raise
            logger.warning("%s could not be ended after an error", self._title, exc_info=True)
