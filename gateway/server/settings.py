"""What an operator may set.

`Settings` and its sections describe one gateway, whoever hosts it; the command line reads them from
files and variables by their names and types, so a new section or member needs no further code.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from gateway.server.operations import Logs, Metrics, Tracing

Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
"""A duration."""

Count: TypeAlias = Annotated[int, Meta(ge=1)]
"""How many, at least one."""

Limit: TypeAlias = Annotated[int, Meta(ge=0)]
"""How many at most, mostly with 0 for no limit."""

OnDisconnect: TypeAlias = Literal["cancel", "continue"]

ASYMMETRIC: tuple[str, ...] = ("RS256", "RS384", "RS512", "ES256", "ES384", "PS256", "EdDSA")
"""Signatures whose key a verifier may publish; secrets shared with an issuer are not supported."""


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} must be {least} or more, not {value}")


def _seconds(name: str, value: float) -> None:
    if not 0 <= value < float("inf"):
        raise ValueError(f"{name} must be 0 or more seconds, not {value}")


class Quotas(Struct, frozen=True, kw_only=True):
    """How much one process takes on, 0 for no limit; whatever goes beyond is refused at once.

    `max_runs` bounds the runs that are open in total (503 beyond), `max_runs_per_agent` and
    `max_runs_per_principal` their parts (429). `requests_per_second` is for each principal, or each
    client address where nobody is authenticated, and `burst` how many may come at once after a
    pause. `retry_after` is what refused clients are told to wait, in seconds, where no better
    number is known.
    """

    max_runs: Limit = 10_000
    max_runs_per_agent: Limit = 0
    max_runs_per_principal: Limit = 0
    requests_per_second: Annotated[float, Meta(ge=0)] = 0.0
    burst: Count = 20
    retry_after: Count = 1

    def __post_init__(self) -> None:
        for name in ("max_runs", "max_runs_per_agent", "max_runs_per_principal"):
            _at_least(name, getattr(self, name), 0)
        if not 0 <= self.requests_per_second < float("inf"):
            raise ValueError(
                f"requests_per_second must be 0 or more, not {self.requests_per_second}"
            )
        _at_least("burst", self.burst, 1)
        _at_least("retry_after", self.retry_after, 1)


class ApiKey(Struct, frozen=True, kw_only=True):
    """A key by its hash: `sha256` is the lower-case hex digest, as `printf %s KEY | sha256sum`.

    Keys should be long and random, since a plain digest of a short one can be guessed. `principal`
    is who brings it, `agents` the agents that it opens, all if empty.
    """

    principal: str
    sha256: str
    agents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.principal:
            raise ValueError("principal must not be empty")
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise ValueError("sha256 must be 64 lower-case hex digits, the digest of a key")


class Jwt(Struct, frozen=True, kw_only=True):
    """Bearer tokens of one issuer (extra `jwt`); the key set comes from a file or from a URL.

    `audience` and `issuer` are demanded of each token, `leeway` is how many seconds its times may
    be off, `claim` names the principal. `refresh` is the age in seconds after which a key set that
    came from a URL is fetched again.
    """

    issuer: str
    audience: str
    jwks_file: str = ""
    jwks_url: str = ""
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    leeway: Seconds = 30.0
    claim: str = "sub"
    refresh: Seconds = 300.0

    def __post_init__(self) -> None:
        if not (self.issuer and self.audience):
            raise ValueError("issuer and audience must not be empty")
        if bool(self.jwks_file) == bool(self.jwks_url):
            raise ValueError("exactly one of jwks_file and jwks_url must be given")
        if not self.algorithms or set(self.algorithms) - set(ASYMMETRIC):
            raise ValueError(f"algorithms must be some of {', '.join(ASYMMETRIC)}")
        _seconds("leeway", self.leeway)
        _seconds("refresh", self.refresh)


class Identity(Struct, frozen=True, kw_only=True):
    """Who may come in; everybody if there is neither an `api_keys` entry nor `jwt`."""

    api_keys: tuple[ApiKey, ...] = ()
    jwt: Jwt | None = None


class Cors(Struct, frozen=True, kw_only=True):
    """Pages of which origins may call; none unless named here.

    `origins` are compared exactly, as `https://app.example.com`. `credentials` lets pages send
    cookies, `headers` are the request header fields that they may set, `max_age` is how many
    seconds a browser may remember the answer.
    """

    origins: tuple[str, ...] = ()
    credentials: bool = False
    headers: tuple[str, ...] = ("content-type", "accept", "authorization", "x-api-key")
    max_age: Limit = 600

    def __post_init__(self) -> None:
        for origin in self.origins:
            scheme, separator, host = origin.partition("://")
            if not (scheme and separator and host) or set(host) & set("/*? ") or "," in origin:
                raise ValueError(
                    f"origins: expected scheme://host or scheme://host:port, not {origin!r}"
                )
        _at_least("max_age", self.max_age, 0)


class AgentSettings(Struct, frozen=True, kw_only=True):
    """What is different for one agent; None leaves it to the agent or to the whole gateway.

    `on_disconnect` says what becomes of a run whose client leaves: it is cancelled (the default),
    or continues without a viewer. `max_runs` and `keep_alive` are as for the gateway.
    """

    on_disconnect: OnDisconnect | None = None
    max_runs: Limit | None = None
    keep_alive: Seconds | None = None

    def __post_init__(self) -> None:
        if self.max_runs is not None:
            _at_least("max_runs", self.max_runs, 0)
        if self.keep_alive is not None:
            _seconds("keep_alive", self.keep_alive)


NO_AGENTS: Mapping[str, AgentSettings] = MappingProxyType({})


class Shutdown(Struct, frozen=True, kw_only=True):
    """How a gateway goes down. Raises ValueError on nonsense.

    New runs are refused with 503 from the start, open ones get `grace` seconds (20) before they are
    ended. `delay` is how long to go on answering at least (0), for load balancers that need a
    while to notice. `reload_grace` is how long runs may go on in a worker that a reload has
    replaced (300).
    """

    grace: Seconds = 20.0
    delay: Seconds = 0.0
    reload_grace: Seconds = 300.0

    def __post_init__(self) -> None:
        for name in ("grace", "delay", "reload_grace"):
            _seconds(name, getattr(self, name))


class Settings(Struct, frozen=True, kw_only=True):
    """Limits of one gateway, shared by all its requests. Raises ValueError on nonsense.

    `max_body` is the largest request body in bytes (8 MiB), `max_messages` the most messages in it
    and `max_depth` how deeply its JSON may be nested; it must arrive within `body_timeout` seconds.
    `keep_alive` is the silence in seconds after which an SSE stream gets a comment (15), 0 for
    never; proxies commonly cut a connection after 30 to 60 silent seconds. `stall_timeout` is how
    long a client may take nothing of a stream before it counts as gone (0: for ever); buffers on
    the way make a slow client look stalled for minutes. `metrics`, `logs` and `tracing` say how the
    gateway is watched, `shutdown` how it goes down.
    """

    max_body: Count = 8 * 1024 * 1024
    max_messages: Count = 10_000
    max_depth: Annotated[int, Meta(ge=8)] = 128
    body_timeout: Seconds = 60.0
    keep_alive: Seconds = 15.0
    stall_timeout: Seconds = 300.0
    quotas: Quotas = Quotas()
    identity: Identity = Identity()
    cors: Cors = Cors()
    metrics: Metrics = Metrics()
    logs: Logs = Logs()
    tracing: Tracing = Tracing()
    shutdown: Shutdown = Shutdown()
    agents: Mapping[str, AgentSettings] = NO_AGENTS

    def __post_init__(self) -> None:
        if self.max_body < 1:
            raise ValueError(f"max_body must be at least 1 byte, not {self.max_body}")
        _at_least("max_messages", self.max_messages, 1)
        _at_least("max_depth", self.max_depth, 8)
        if not 0 < self.body_timeout < float("inf"):
            raise ValueError(f"body_timeout must be more than 0 seconds, not {self.body_timeout}")
        _seconds("keep_alive", self.keep_alive)
        _seconds("stall_timeout", self.stall_timeout)
