"""What runs in a worker process."""

import logging

import pytest

from gateway.cli.configuration import Configuration
from gateway.cli.lifeline import Lifeline, Link
from gateway.cli.worker import load, report_core


def link() -> Link:
    return Link(Lifeline())


def test_a_worker_has_the_gateway_of_the_configuration() -> None:
    worker = load(Configuration(target="gateway.demo:AGENTS", max_body=5), link())
    assert worker.gateway.settings.max_body == 5


@pytest.mark.parametrize(
    ("target", "complaint"),
    [("gateway.demo:NOTHING", "has no NOTHING"), ("no_such_module:AGENTS", "No module named")],
)
def test_what_cannot_be_served_ends_the_process_with_a_line_in_the_log(
    target: str, complaint: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SystemExit) as caught:
        load(Configuration(target=target), link())
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
