"""What watches a gateway, by its settings."""

import subprocess
import sys

import pytest

from gateway.server import Gateway, Settings
from gateway.server.operations import Metrics, Tracing
from gateway.server.request_id import request_of
from tests.server.asgi import http_scope


def test_what_is_switched_off_is_not_imported() -> None:
    code = (
        "import sys; from gateway.server import Gateway, Settings; "
        "from gateway.server.operations import Metrics; "
        "Gateway({}, Settings(metrics=Metrics(enabled=False))); "
        "sys.exit(not {'opentelemetry', 'prometheus_client'}.isdisjoint(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("metrics", "tracing", "count"),
    [(True, True, 3), (None, True, 3), (True, False, 2), (False, False, 1)],
)
def test_settings_decide_who_observes(metrics: bool | None, tracing: bool, count: int) -> None:
    settings = Settings(metrics=Metrics(enabled=metrics), tracing=Tracing(enabled=tracing))
    assert len(Gateway({}, settings).watch.observers) == count


MISSING = """
import sys
from importlib.abc import MetaPathFinder

class Nothing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("prometheus_client", "opentelemetry"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Nothing())
"""


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("metrics=Metrics(enabled=True)", "agui-gateway[metrics]"),
        ("tracing=Tracing(enabled=True)", "agui-gateway[otel]"),
        ("", "measures False"),
    ],
)
def test_a_missing_extra_is_named_or_done_without(section: str, says: str) -> None:
    code = (
        "from gateway.server import Gateway, Settings\n"
        "from gateway.server.operations import Metrics, Tracing\n"
        f"print('measures', Gateway({{}}, Settings({section})).watch.measures)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", MISSING + code], capture_output=True, text=True, check=False
    )
    assert says in done.stdout + done.stderr


@pytest.mark.parametrize("id", ["abc-1", "00-0af7-b7ad-01", "a:b/c+d=e@f"])
def test_the_id_of_a_request_is_the_one_it_brings(id: str) -> None:
    assert request_of(http_scope("GET", "/", [("X-Request-Id", id)])).id == id


@pytest.mark.parametrize("id", ["", "a b", "x" * 129, "a\nb", "é"])
def test_an_id_that_is_none_is_replaced(id: str) -> None:
    assert len(request_of(http_scope("GET", "/", [("x-request-id", id)])).id) == 32
