"""Says which core the suite runs against; refuses to run against a stale build."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import gateway_native.kinds
from tests.served import Served

settings.register_profile("suite", deadline=None)  # machines under load are no failure
settings.load_profile("suite")

CORE = Path(gateway_native.kinds.__file__)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the tests of leaks at full length")


def pytest_report_header() -> str:
    return f"core: {'interpreted' if CORE.suffix == '.py' else 'compiled'} ({CORE})"


def pytest_configure() -> None:
    if CORE.suffix == ".py":
        return
    built = CORE.stat().st_mtime
    sources = (p for p in CORE.parent.rglob("*.py") if p.name != "__init__.py")
    stale = [p.name for p in sources if p.stat().st_mtime > built]
    if stale:
        raise pytest.UsageError(f"compiled core is older than {', '.join(stale)}: run `make build`")


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """One gateway with the demo agents for the whole session."""
    with Served() as running:
        yield running
