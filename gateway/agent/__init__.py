"""What agent authors use: agents, the run context, and ways to run them."""

import gateway.protocol  # noqa: F401 - binds the core
from gateway.agent.agent import Agent, AgentFunction, AnyAgent
from gateway.agent.cancellation import CancelToken
from gateway.agent.context import RunContext
from gateway.agent.limits import Limits
from gateway.agent.observer import Observation, RunObserver
from gateway.agent.options import Options
from gateway.agent.outcome import RunOutcome
from gateway.agent.record import RunRecord
from gateway.agent.recording import Recording
from gateway.agent.registry import Agents
from gateway.agent.request import Request
from gateway.agent.resume import Answer, Answers, ResumePolicy
from gateway.agent.run import Run
from gateway.agent.runner import Runner, run

__all__ = [
    "Agent",
    "AgentFunction",
    "Agents",
    "Answer",
    "Answers",
    "AnyAgent",
    "CancelToken",
    "Limits",
    "Observation",
    "Options",
    "Recording",
    "Request",
    "ResumePolicy",
    "Run",
    "RunContext",
    "RunObserver",
    "RunOutcome",
    "RunRecord",
    "Runner",
    "run",
]
