"""Where the bytes of a stream come from: HTTP, an agent in this process, or a recorded file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from gateway.agent import Options, Run
from gateway.agent.agent import AnyAgent
from gateway.errors import UnreachableError
from gateway.protocol.input import RunAgentInput
from gateway.protocol.proto import MEDIA_TYPE

SSE_TYPE = "text/event-stream"
PIECE = 64 * 1024


class Incoming(Protocol):
    """The answer to one input: the bytes of an event stream."""

    media_type: str
    """The content type as it was declared, "" if it was not."""

    async def read(self) -> bytes:
        """The next bytes, `b""` after the end; raises UpstreamError."""

    async def close(self) -> None:
        """Give up what is left and free the connection; never raises."""


class Transport(Protocol):
    """Sends an input and gives the answer."""

    async def open(self, input: RunAgentInput, headers: Mapping[str, str]) -> Incoming:
        """Send `input` with these header fields besides the configured; raises UpstreamError."""

    async def close(self) -> None:
        """Free what is shared between runs."""


class AgentIncoming:
    """The stream of a run in this process."""

    media_type = SSE_TYPE

    def __init__(self, run: Run) -> None:
        self._run = run
        run.start()

    async def read(self) -> bytes:
        """What the run has pending, as soon as there is anything."""
        return await self._run.read()

    async def close(self) -> None:
        """Cancel the run and wait until its agent has been left."""
        self._run.cancel("client-left")
        await self._run.closed()


class AgentTransport:
    """Runs an agent of this process, as if it were a server."""

    def __init__(self, agent: AnyAgent, options: Options = Options()) -> None:
        self._agent = agent
        self._options = replace(options, encoding="sse")

    async def open(self, input: RunAgentInput, headers: Mapping[str, str]) -> AgentIncoming:
        """Start a run; header fields mean nothing to it."""
        return AgentIncoming(Run(self._agent, input, self._options))

    async def close(self) -> None:
        """Nothing is shared between runs."""


class RecordedIncoming:
    """The bytes of a recording."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self.media_type = media_type
        self._content = content
        self._position = 0

    async def read(self) -> bytes:
        """The next 64 KiB."""
        piece = self._content[self._position : self._position + PIECE]
        self._position += len(piece)
        return piece

    async def close(self) -> None:
        """Nothing is open."""


class RecordedTransport:
    """Answers each input with the next recording: a file or bytes, SSE or protobuf frames.

    A file whose name ends in `.pb` holds protobuf, and so do bytes that `media_type` says so of.
    `requests` are the inputs so far. Raises UnreachableError when there are no recordings left.
    """

    def __init__(self, *recordings: str | Path | bytes, media_type: str = SSE_TYPE) -> None:
        self.requests: list[RunAgentInput] = []
        self._recordings = list(recordings)
        self._media_type = media_type

    @property
    def remaining(self) -> int:
        """How many recordings have not been played."""
        return len(self._recordings) - len(self.requests)

    async def open(self, input: RunAgentInput, headers: Mapping[str, str]) -> RecordedIncoming:
        """Play the next recording."""
        if not self.remaining:
            raise UnreachableError("there is no recording left")
        recording = self._recordings[len(self.requests)]
        self.requests.append(input)
        if isinstance(recording, bytes):
            return RecordedIncoming(recording, self._media_type)
        path = Path(recording)
        try:
            content = await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise UnreachableError(f"{path}: {error.strerror}") from error
        return RecordedIncoming(content, MEDIA_TYPE if path.suffix == ".pb" else self._media_type)

    async def close(self) -> None:
        """Nothing is open."""
