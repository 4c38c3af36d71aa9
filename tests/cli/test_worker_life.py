"""Shutdown, reload and crashes of real server processes."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.cli.life import AGENTS, END, Load, alive, eventually, hang_up, open_run, pid_of, workers
from tests.served import Served
from tests.server.test_serve import ask, open_stream, read_until


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


def served(gate: Path, *arguments: str) -> Served:
    return Served(AGENTS, *arguments, env={**os.environ, "GATE": str(gate)})


def test_fifty_live_streams_end_with_a_terminal_after_the_grace(gate: Path) -> None:
    with served(gate, "--workers", "2", "--grace", "1") as server:
        streams = [open_run(server)[0] for _ in range(50)]
        started = time.monotonic()
        server.process.terminate()
        eventually(lambda: ask(server, "GET", "/readyz")[0] == 503)
        status, body = ask(server, "POST", "/agents/process")
        assert (status, b"SHUTTING_DOWN" in body) == (503, True)
        assert ask(server, "GET", "/healthz")[0] == 200
        for stream in streams:
            with stream:
                assert b'"code":"SHUTTING_DOWN"' in read_until(stream, END)
        assert time.monotonic() - started >= 1
        assert server.stop() == 0


def test_a_run_that_ends_within_the_grace_is_not_disturbed(gate: Path) -> None:
    with served(gate, "--workers", "2") as server:
        stream, _ = open_run(server)
        server.process.terminate()
        eventually(lambda: ask(server, "GET", "/readyz")[0] == 503)
        gate.touch()
        with stream:
            assert b"RUN_FINISHED" in read_until(stream, END)
        assert server.process.wait(5) == 0


def test_a_second_signal_ends_the_grace(gate: Path) -> None:
    with served(gate, "--grace", "3600") as server:
        stream, _ = open_run(server)
        server.process.terminate()
        eventually(lambda: ask(server, "GET", "/readyz")[0] == 503)
        server.process.send_signal(signal.SIGINT)
        with stream:
            assert b"SHUTTING_DOWN" in read_until(stream, END)
        assert server.process.wait(5) == 0


def test_readiness_is_refused_for_the_delay_before_it_goes(gate: Path, tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text("[shutdown]\ndelay = 1.0\n")
    with served(gate, "--config", str(file)) as server:
        started = time.monotonic()
        server.process.terminate()
        eventually(lambda: ask(server, "GET", "/readyz")[0] == 503)
        assert server.process.wait(5) == 0
        assert time.monotonic() - started >= 1


def test_a_client_that_reads_nothing_does_not_hold_up_the_end() -> None:
    with (
        Served("tests.server.agents:AGENTS", "--grace", "0") as server,
        open_stream(server, "flood") as client,
    ):
        read_until(client, b"RUN_STARTED")
        server.process.terminate()
        assert server.process.wait(15) == 0


def test_a_reload_under_load_fails_no_request(gate: Path) -> None:
    with served(gate, "--workers", "2") as server:
        before = workers(server)
        with Load(server) as load:
            for _ in range(2):
                old = workers(server)
                hang_up(server)
                eventually(lambda old=old: not any(map(alive, old)))  # type: ignore[misc]
        assert load.failures == []
        assert load.answers > 100
        assert load.pids - before


def test_a_live_run_finishes_in_the_replaced_worker(gate: Path) -> None:
    with served(gate) as server:
        stream, old = open_run(server)
        hang_up(server)
        eventually(lambda: pid_of(server) != old)
        assert alive(old)
        gate.touch()
        with stream:
            assert b"RUN_FINISHED" in read_until(stream, END)
        eventually(lambda: not alive(old))


def test_a_run_that_outlasts_the_reload_grace_is_ended(gate: Path, tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text("[shutdown]\nreload_grace = 0.1\n")
    with served(gate, "--config", str(file)) as server:
        stream, old = open_run(server)
        hang_up(server)
        with stream:
            assert b"SHUTTING_DOWN" in read_until(stream, END)
        eventually(lambda: not alive(old))
        assert ask(server, "GET", "/readyz")[0] == 200


def test_a_termination_during_a_reload_is_honoured(gate: Path) -> None:
    with served(gate, "--workers", "2", "--grace", "0.2") as server:
        streams = [open_run(server)[0] for _ in range(4)]
        hang_up(server)
        eventually(lambda: len(workers(server)) > 2)
        server.process.terminate()
        for stream in streams:
            with stream:
                assert b"SHUTTING_DOWN" in read_until(stream, END)
        assert server.process.wait(8) == 0


def test_a_reload_reads_the_configuration_again(gate: Path, tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text('[agents]\nold = "tests.cli.agents:process"\n')
    with Served("--config", str(file)) as server:
        first = pid_of(server, "old")
        file.write_text("[agents]\nold = 3\n")
        hang_up(server)
        eventually(lambda: "nothing is reloaded: agents.old in" in server.output())
        file.write_text('[agents]\nold = "tests.cli.agents:nothing"\n')
        hang_up(server)
        eventually(lambda: "the reload has ended at worker 1" in server.output())
        assert pid_of(server, "old") == first
        file.write_text('[agents]\nnew = "tests.cli.agents:process"\n')
        hang_up(server)
        eventually(lambda: ask(server, "GET", "/agents")[1].count(b'"new"') == 1)
        eventually(lambda: not alive(first))


def test_a_killed_worker_is_replaced_while_its_neighbours_stream_goes_on(gate: Path) -> None:
    with served(gate, "--workers", "2") as server:
        eventually(lambda: "listens at" in server.output())
        stream, kept = open_run(server)
        (victim,) = workers(server) - {kept}
        os.kill(victim, signal.SIGKILL)
        killed = time.monotonic()
        eventually(lambda: len(workers(server) - {victim}) == 2)
        (successor,) = workers(server) - {kept, victim}
        with Load(server) as load:
            eventually(lambda: successor in load.pids)
        assert load.failures == []
        assert time.monotonic() - killed < 5  # a second on a quiet machine
        gate.touch()
        with stream:
            assert b"RUN_FINISHED" in read_until(stream, END)


def test_requests_wait_for_the_successor_of_an_only_worker(gate: Path) -> None:
    with served(gate) as server:
        eventually(lambda: "listens at" in server.output())
        old = pid_of(server)
        os.kill(old, signal.SIGKILL)
        eventually(lambda: not alive(old))
        assert pid_of(server) != old


def test_workers_end_when_their_server_is_killed(gate: Path) -> None:
    with served(gate, "--workers", "2", "--grace", "0") as server:
        eventually(lambda: len(workers(server)) == 2)
        stream, _ = open_run(server)
        left = workers(server)
        server.process.kill()
        with stream:
            assert b"SHUTTING_DOWN" in read_until(stream, END)
        eventually(lambda: not any(map(alive, left)))
