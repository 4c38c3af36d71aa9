"""Ids that a run mints: deterministic, and never one that the input already uses."""

from gateway.protocol.base import UNSET
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import AssistantMessage


class Ids:
    """`{run}-msg-1`, `{run}-call-1` and so on, each name counting by itself.

    An empty run id gives the prefix `run`. An id that the agent has chosen itself is handed to the
    same method, so that it is not minted again later.
    """

    __slots__ = ("_counts", "_prefix", "_taken")

    def __init__(self, input: RunAgentInput) -> None:
        self._prefix = input.run_id or "run"
        self._counts: dict[str, int] = {}
        self._taken = _ids_starting_with(f"{self._prefix}-", input)

    def message(self, chosen: str | None = None) -> str:
        return self._next("msg") if chosen is None else self._take(chosen)

    def call(self, chosen: str | None = None) -> str:
        return self._next("call") if chosen is None else self._take(chosen)

    def subagent(self, chosen: str | None = None) -> str:
        return self._next("sub") if chosen is None else self._take(chosen)

    def _take(self, chosen: str) -> str:
        if chosen.startswith(self._prefix):
            self._taken.add(chosen)
        return chosen

    def _next(self, name: str) -> str:
        while True:
            count = self._counts.get(name, 0) + 1
            self._counts[name] = count
            minted = f"{self._prefix}-{name}-{count}"
            if minted not in self._taken:
                return minted


def _ids_starting_with(prefix: str, input: RunAgentInput) -> set[str]:
    taken = set()
    for message in input.messages:
        taken.add(message.id)
        if message.subagent_run_id is not UNSET:
            taken.add(message.subagent_run_id)
        if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET:
            taken.update(call.id for call in message.tool_calls)
    return {id for id in taken if id.startswith(prefix)}
