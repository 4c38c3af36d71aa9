"""The Python code in README.md and docs/ runs, and its agents end as they should."""

from __future__ import annotations

import asyncio
import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import gateway.agent
from gateway.agent import run
from gateway.protocol.input import ResumeEntry, RunAgentInput
from gateway.protocol.messages import UserMessage

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "agents.md"]


def names_of(page: Path) -> dict[str, Any]:
    """What the code blocks of a page define, run one after the other."""
    names: dict[str, Any] = {"__name__": __name__}
    for match in re.finditer(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        exec(compile(match.group(1), str(page), "exec", dont_inherit=True), names)
    return names


def types_of(agent: Any, **members: Any) -> list[str]:
    """The types of the events of one run."""
    input = RunAgentInput("t", "r", [UserMessage("m", "Kim")], **members)

    async def collect() -> list[str]:
        return [event.type async for event in run(agent, input)]

    return asyncio.run(collect())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page: Path) -> None:
    assert len(names_of(page)) > 4


def test_the_agent_of_the_readme_greets() -> None:
    types = types_of(names_of(PAGES[0])["AGENTS"]["greeter"])
    assert (types.count("TEXT_MESSAGE_CONTENT"), types[-1]) == (2, "RUN_FINISHED")


DOCS = names_of(PAGES[1])


@pytest.mark.parametrize("name", ["greet", "stream", "search", "delete", "patient"])
def test_the_functions_of_the_guide_succeed(name: str) -> None:
    assert types_of(DOCS[name])[-1] == "RUN_FINISHED"


def test_the_other_agents_of_the_guide_do_what_it_says() -> None:
    assert types_of(DOCS["Greeter"]())[-1] == "RUN_FINISHED"
    assert types_of(DOCS["Planner"]())[1:3] == ["STATE_SNAPSHOT", "STATE_DELTA"]
    assert types_of(DOCS["broken"])[-1] == "RUN_ERROR"
    answered = types_of(DOCS["delete"], resume=[ResumeEntry("delete", "resolved", False)])
    assert "TEXT_MESSAGE_CONTENT" in answered


MODULES = [one.name for one in pkgutil.walk_packages(gateway.agent.__path__, "gateway.agent.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
