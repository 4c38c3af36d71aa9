"""`GET /metrics`: who may read the counters, and in which format."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from gateway.errors import RefusedError
from gateway.server.response import Response

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of `prometheus_client` that names the directory of several processes' counters."""


def authorize(headers: Mapping[str, str], digest: str) -> None:
    """Refuse (401) who brings no key with this SHA-256 hex digest; an empty one admits all."""
    if not digest:
        return
    scheme, _, key = headers.get("authorization", "").partition(" ")
    found = hashlib.sha256(key.strip().encode()).hexdigest()
    if scheme.lower() != "bearer" or not hmac.compare_digest(found, digest):
        raise RefusedError(
            401,
            "UNAUTHENTICATED",
            "The metrics need a key: Authorization: Bearer KEY.",
            headers=((b"www-authenticate", b"Bearer"),),
        )


def exposition(registry: CollectorRegistry, accept: str) -> Response:
    """The counters of all processes if they share a directory, else those of this process."""
    encode, content_type = choose_encoder(accept)
    kind = content_type.encode()
    directory = os.environ.get(DIRECTORY)
    if not directory:
        return Response(200, _joined(encode(REGISTRY), encode(registry)), content_type=kind)
    if os.name == "posix":
        from gateway.server.slots import sweep

        sweep(directory)
    shared = CollectorRegistry()
    MultiProcessCollector(shared, directory)  # type: ignore[no-untyped-call]
    return Response(200, encode(shared), content_type=kind)


def _joined(first: bytes, second: bytes) -> bytes:
    return first.removesuffix(b"# EOF\n") + second
