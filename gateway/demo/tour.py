"""One run through every event family."""

from typing import Any

from gateway.agent.context import RunContext
from gateway.agent.outcome import RunOutcome
from gateway.protocol.usage import TokenUsage


class Tour:
    """One run through every event family of the protocol, on a walk through Seoul."""

    async def run(self, ctx: RunContext[dict[str, Any]]) -> RunOutcome:
        """Each method shows one family; all of it is one step but the greeting and the subagent."""
        ctx.custom("gateway.demo", {"stops": 3})
        ctx.raw({"provider": "none", "chunk": 1}, source="gateway.demo")
        with ctx.step("plan"):
            self._think(ctx)
            self._call_tool(ctx)
            self._publish_state(ctx)
        self._show_activity(ctx)
        self._send_subagent(ctx)
        ctx.say("That was the tour: three stops in Seoul.")
        ctx.usage(TokenUsage(provider="none", model="demo", input_tokens=0, output_tokens=0))
        return RunOutcome.success({"stops": 3})

    def _think(self, ctx: RunContext[dict[str, Any]]) -> None:
        with ctx.reasoning() as reasoning:
            reasoning.delta("The palace first, ")
            reasoning.delta("then the market.")
            reasoning.encrypted_value("b3BhcXVl")

    def _call_tool(self, ctx: RunContext[dict[str, Any]]) -> None:
        with ctx.tool_call("find_stops") as call:
            call.args('{"city": ')
            call.args('"Seoul"}')
            call.result_json(["palace", "market", "river"])

    def _publish_state(self, ctx: RunContext[dict[str, Any]]) -> None:
        ctx.state.update(city="Seoul", visited=[], note="A state large enough for a delta to pay.")
        ctx.publish_state()
        ctx.state["visited"] = ["palace"]
        ctx.publish_state()

    def _show_activity(self, ctx: RunContext[dict[str, Any]]) -> None:
        activity = ctx.activity("route", {"stops": ["palace"], "done": False})
        activity.patch([{"op": "replace", "path": "/done", "value": True}])

    def _send_subagent(self, ctx: RunContext[dict[str, Any]]) -> None:
        with (
            ctx.subagent("guide", description="Knows the river") as guide,
            guide.step("walk"),
            guide.message() as message,
        ):
            message.delta("The river is ")
            message.delta("three stops away.")
