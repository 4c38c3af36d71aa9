"""What runs in a worker process."""

import logging

import pytest

from gateway.cli.worker import load, report_core
from gateway.server import Gateway, Settings

GATEWAY = Gateway({}, Settings(max_body=7))
NUMBER = 7


def test_agents_become_a_gateway_with_the_given_settings() -> None:
    worker = load("gateway.demo:AGENTS", Settings(max_body=5))
    assert worker.gateway.settings.max_body == 5
    assert "echo" in worker.gateway.agents


def test_a_gateway_is_served_as_it_is() -> None:
    assert load(f"{__name__}:GATEWAY", Settings()).gateway is GATEWAY


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("gateway.demo", "expected module:attribute"),
        ("gateway.demo:NOTHING", "has no NOTHING"),
        (f"{__name__}:NUMBER", "is a int: expected agents"),
        ("no_such_module:AGENTS", "No module named"),
    ],
)
def test_what_cannot_be_served_ends_the_process_with_a_line_in_the_log(
    target: str, complaint: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SystemExit) as caught:
        load(target, Settings())
    assert caught.value.code == 1
    assert complaint in caplog.text


@pytest.mark.parametrize(
    ("compiled", "pure", "lines"),
    [(False, None, 1), (True, None, 0), (False, "1", 0), (False, "0", 1)],
)
def test_a_missing_core_is_reported_unless_it_was_asked_for(
    compiled: bool, pure: str | None, lines: int, caplog: pytest.LogCaptureFixture
) -> None:
    report_core(compiled, pure)
    critical = [record for record in caplog.records if record.levelno == logging.CRITICAL]
    assert len(critical) == lines
