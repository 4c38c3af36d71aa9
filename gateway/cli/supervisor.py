"""The server process: it starts the workers, replaces and reloads them, and ends them.

granian's own loop would wait for each old worker in turn during a reload, deaf to anything else,
and give up the whole server when one worker crashes twice. Here nothing blocks: a reload starts a
successor, waits until it serves, and leaves the old worker to end in its own time; workers that
crash at once again are replaced after growing pauses while their neighbours go on.
"""

import functools
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from granian._granian import SocketHolder
from granian.server import Server as Granian

from gateway.cli.configuration import Configuration
from gateway.cli.lifeline import Lifeline, Link
from gateway.errors import ConfigurationError

logger = logging.getLogger("gateway.cli")

MARGIN: Final = 5
"""Seconds after its last run and its graces that a worker may take to end before it is killed."""

START: Final = 120.0
"""Seconds that the successor of a worker may take until it serves."""

YOUNG: Final = 5.0
"""Seconds of life below which a crash counts towards the pause before the next attempt."""

CRASHES: Final = 6
"""Crashes in a row after which a server without any other worker gives up."""

POLL: Final = 0.01


class Supervisor(Granian):  # type: ignore[misc, valid-type]  # its type is chosen at import
    """granian, with workers that come and go without taking requests with them.

    `reread` gives the configuration anew; the other arguments are granian's.
    """

    def __init__(
        self,
        configuration: Configuration,
        reread: Callable[[], Configuration],
        listening: socket.socket | None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._configuration = configuration
        self._reread = reread
        self._listening = listening
        self._lifeline = Lifeline()
        self._links: dict[Any, Link] = {}
        self._retired: list[tuple[Any, float]] = []
        self._crashes: dict[int, int] = {}
        self._due: dict[int, float] = {}
        self.reload_signal = False
        self._failed = False
        self._greeted = False
        self.workers_kill_timeout = MARGIN

    def startup(self, spawn_target: Any, target_loader: Any) -> None:
        """Start the workers and wait until one serves; the server ends if one fails before."""
        super().startup(spawn_target, target_loader)
        while not any(self._links[worker].ready for worker in self.wrks):
            if self.interrupt_signal or self.interrupt_children:
                self._failed = not self.interrupt_signal
                return
            if self.reload_on_changes and not any(worker.is_alive() for worker in self.wrks):
                return  # whoever develops is about to change something
            time.sleep(POLL)

    def shutdown(self, exit_code: int = 0) -> None:
        """End the workers; the exit status is 1 when the server gave up."""
        super().shutdown(1 if self._failed else exit_code)

    def signal_handler_interrupt(self, *args: Any, **more: Any) -> None:
        """Go down, at once when asked a second time."""
        if self.interrupt_signal:
            self._lifeline.stop(hurry=True)
            for worker in self.wrks:
                worker.terminate()
        super().signal_handler_interrupt(*args, **more)

    def _init_shared_socket(self) -> None:
        if self._listening is None:
            super()._init_shared_socket()
            return
        self._listening.listen(self.backlog)
        self._listening.setblocking(False)
        self._listening.set_inheritable(True)
        self._sso = self._listening
        fd = self._listening.fileno()
        self._shd = SocketHolder(fd, False, self.backlog)  # type: ignore[call-arg]  # its stub errs

    def _drop_shared_socket(self) -> None:
        """Nothing: while the workers drain, connections must not be refused."""

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Any) -> Any:
        link = Link(self._lifeline, self._sso.fileno(), greets=not self._greeted)
        self._greeted = True
        loader = functools.partial(callback_loader, self._configuration, link)
        worker = super()._spawn_worker(idx, target, loader)
        self._links[worker] = link
        return worker

    def _serve_loop(self, spawn_target: Any, target_loader: Any) -> None:
        spawn = functools.partial(self._spawn_worker, target=spawn_target)
        start = functools.partial(spawn, callback_loader=target_loader)
        while not (self.interrupt_signal or self._failed):
            self.main_loop_interrupt.wait(self._pause())
            self.main_loop_interrupt.clear()
            if self.interrupt_signal:
                return
            self._note_crashes()
            self._replace(start)
            if self.reload_signal:
                self.reload_signal = False
                self._reload_workers(start)
            self._bury()

    def _pause(self) -> float | None:
        times = [*self._due.values(), *(deadline for _, deadline in self._retired)]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _note_crashes(self) -> None:
        crashed, self.interrupt_children[:] = set(self.interrupt_children), []
        now = time.monotonic()
        for idx in crashed:
            worker = self.wrks[idx]
            if worker.is_alive() or idx in self._due:
                continue
            again = now - worker.birth < YOUNG
            self._crashes[idx] = self._crashes.get(idx, 0) + 1 if again else 0
            self._due[idx] = now + _patience(self._crashes[idx])
            alive = any(each.is_alive() for each in self.wrks)
            self._failed |= self._crashes[idx] >= CRASHES and not alive

    def _replace(self, start: Callable[..., Any]) -> None:
        for idx in [idx for idx, due in self._due.items() if due <= time.monotonic()]:
            del self._due[idx]
            self._links.pop(self.wrks[idx])
            self.wrks[idx] = start(idx=idx)
            self.wrks[idx].start()

    def _reload_workers(self, start: Callable[..., Any]) -> None:
        """Exchange all workers; those whose successors do not come up stay."""
        before = self._configuration
        try:
            self._configuration = self._reread()
        except ConfigurationError as error:
            logger.error("nothing is reloaded: %s", error)
            return
        warn_of_restart(before, self._configuration)
        self._lifeline.reload()
        for idx in range(self.workers):
            if not self._exchange(idx, start, before):
                self._configuration = self._configuration if idx else before
                logger.error("the reload has ended at worker %d, which goes on", idx + 1)
                return

    def _exchange(self, idx: int, start: Callable[..., Any], before: Configuration) -> bool:
        successor = start(idx=idx)
        successor.interrupt_by_parent = True  # its failure is no crash of a serving worker
        successor.start()
        if not self._comes_up(successor):
            successor.terminate()
            self._retired.append((successor, time.monotonic() + MARGIN))
            return False
        successor.interrupt_by_parent = False
        if not successor.is_alive():
            self.interrupt_children.append(idx)
        old, self.wrks[idx] = self.wrks[idx], successor
        self._due.pop(idx, None)
        old.terminate()
        grace = before.shutdown.reload_grace + before.limits.grace + MARGIN
        self._retired.append((old, time.monotonic() + grace))
        return True

    def _comes_up(self, worker: Any) -> bool:
        deadline = time.monotonic() + START
        while not self._links[worker].ready:
            gone = not worker.is_alive() or time.monotonic() > deadline
            if gone or self.interrupt_signal:
                return False
            time.sleep(POLL)
        return True

    def _bury(self) -> None:
        """Forget replaced workers that have ended, kill those that are overdue."""
        left = []
        for worker, deadline in self._retired:
            if worker.is_alive() and time.monotonic() < deadline:
                left.append((worker, deadline))
                continue
            worker.kill()
            worker.join()
            self._links.pop(worker)
        self._retired = left

    def _stop_workers(self) -> None:
        self._lifeline.stop(hurry=self.reload_on_changes)
        self.wrks += [worker for worker, _ in self._retired]
        self._retired = []
        self._drain_workers()
        self._lifeline.leave()
        super()._stop_workers()
        self._links.clear()
        self.interrupt_children.clear()
        if not self.interrupt_signal:
            self._lifeline.go_on()

    def _drain_workers(self) -> None:
        """Wait until no worker has a run left; all of them answer until then."""
        deadline = time.monotonic() + drain_timeout(self._configuration)
        for worker in self.wrks:
            worker.terminate()
        while time.monotonic() < deadline:
            busy = [w for w in self.wrks if w.is_alive() and not self._links[w].drained]
            if not busy:
                return
            time.sleep(POLL)


def drain_timeout(configuration: Configuration) -> float:
    """Seconds from SIGTERM until no worker can have a run left."""
    shutdown, limits = configuration.shutdown, configuration.limits
    return max(shutdown.grace, shutdown.delay) + limits.grace + 1


def warn_of_restart(before: Configuration, after: Configuration) -> None:
    """Say that a change of the listener was read but not heeded."""
    if before.server != after.server:
        logger.warning("a change of [server] needs a restart; the rest is reloaded")


def end_on_sigterm() -> None:
    """Let SIGTERM end a worker that has not set its own handlers yet.

    It would inherit the server's, which ends nothing in a worker, and be waited for in vain.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _patience(crashes: int) -> float:
    return 0.0 if crashes < 2 else min(0.25 * 2.0**crashes, 8.0)
