"""Errors of a server: its requests and its settings."""

from gateway_native.errors import GatewayError


class RefusedError(GatewayError):
    """A request that gets an HTTP error instead of a stream.

    An agent may raise it too: before anything was sent it becomes the answer (see `may_refuse` of
    `Agent`), afterwards a RUN_ERROR with its code and message.
    `status` is the HTTP status, `code` the upper snake case name that clients match on, `pointer`
    the JSON Pointer of the offending value in the body, `headers` what the answer carries besides.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        pointer: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.pointer = pointer
        self.headers = headers


class ClientLeftError(GatewayError):
    """The client closed the connection before it had sent its request; nobody reads an answer."""


class ConfigurationError(GatewayError):
    """A setting that cannot be used.

    `key` is its dotted name, `place` the file, variable or option that it came from, empty when it
    came from nowhere, `reason` what is allowed there.
    """

    def __init__(self, key: str, place: str, reason: str) -> None:
        where = f"{key} in {place}" if key and place else key or place
        super().__init__(f"{where}: {reason}" if where else reason)
        self.key = key
        self.place = place
        self.reason = reason
