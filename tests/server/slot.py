"""A process that counts in a slot: `python -m tests.server.slot`, one line, then waits."""

import os
import sys

from prometheus_client import CollectorRegistry, Counter, Gauge

from gateway.server.slots import join

directory = os.environ["PROMETHEUS_MULTIPROC_DIR"]
join(directory)
registry = CollectorRegistry()
Counter("seen", "Seen", registry=registry).inc()
Gauge("open", "Open", registry=registry, multiprocess_mode="livesum").inc()
print("counted", flush=True)
sys.stdin.read()
