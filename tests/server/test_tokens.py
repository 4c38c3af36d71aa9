"""Tokens of an issuer, with its keys in a file or at a URL."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.agent import Request
from gateway.errors import RefusedError
from gateway.server import Identity, Jwt, Settings, endpoint
from gateway.server.identity import Principal
from gateway.server.tokens import PAUSE, RETRY, KeySet, Tokens
from tests.server.asgi import JSON, send
from tests.server.test_identity import whoami

KEY, OTHER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
ISSUER, AUDIENCE = "https://issuer.example", "gateway"


def jwks(**keys: ec.EllipticCurvePrivateKey) -> bytes:
    """A key set with the public halves."""
    public = {
        id: json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
        for id, key in keys.items()
    }
    return json.dumps(
        {"keys": [{**key, "kid": id, "alg": "ES256"} for id, key in public.items()]}
    ).encode()


def token(key: Any = KEY, kid: str | None = "k1", algorithm: str = "ES256", **claims: Any) -> str:
    """A good token, with some claims changed; those that are None are left out."""
    whole = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": time.time() + 60, **claims}
    kept = {name: value for name, value in whole.items() if value is not None}
    headers = None if kid is None else {"kid": kid}
    return jwt.encode(kept, key, algorithm=algorithm, headers=headers)


def settings(path: Path, **others: Any) -> Jwt:
    path.write_bytes(jwks(k1=KEY))
    return Jwt(issuer=ISSUER, audience=AUDIENCE, jwks_file=str(path), **others)


def ask(tokens: Tokens, text: str) -> Principal | None:
    return asyncio.run(tokens(Request(headers={"authorization": f"Bearer {text}"})))


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(settings(tmp_path / "jwks.json"))


def test_a_token_says_who_asks_and_what_it_claims(tokens: Tokens) -> None:
    principal = ask(tokens, token(plan="gold"))
    assert principal is not None
    assert (principal.id, principal.claims["plan"]) == ("ada", "gold")


def test_the_only_key_needs_no_name(tokens: Tokens) -> None:
    assert ask(tokens, token(kid=None)) is not None


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"exp": time.time() - 31}, "has expired"),
        ({"exp": None}, "is not valid"),
        ({"nbf": time.time() + 10_000}, "is not valid"),
        ({"iss": "https://evil.example"}, "is not valid"),
        ({"iss": None}, "is not valid"),
        ({"aud": "other"}, "is not valid"),
        ({"aud": None}, "is not valid"),
        ({"sub": None}, "is not valid"),
        ({"key": OTHER}, "is not valid"),
        ({"key": "s" * 40, "algorithm": "HS256"}, "is not valid"),
        ({"key": None, "algorithm": "none"}, "is not valid"),
    ],
)
def test_a_bad_token_is_refused(tokens: Tokens, claims: dict[str, Any], why: str) -> None:
    with pytest.raises(RefusedError) as caught:
        ask(tokens, token(**claims))
    assert (caught.value.status, caught.value.message) == (401, f"The token {why}.")
    assert dict(caught.value.headers)[b"www-authenticate"] == b'Bearer error="invalid_token"'


def test_clocks_may_differ_by_the_leeway(tokens: Tokens) -> None:
    assert ask(tokens, token(exp=time.time() - 20)) is not None


@pytest.mark.parametrize("text", ["", "x", "a.b", "ÿ.ÿ.ÿ", "...", "a.b.c.d"])
def test_what_is_no_token_lets_nobody_in(tokens: Tokens, text: str) -> None:
    try:
        assert ask(tokens, text) is None
    except RefusedError as error:
        assert error.status == 401


def test_an_unknown_key_lets_nobody_in(tokens: Tokens) -> None:
    assert ask(tokens, token(kid="k2")) is None


def test_a_gateway_takes_tokens(tmp_path: Path) -> None:
    identity = Identity(jwt=settings(tmp_path / "jwks.json", claim="email"))
    application = endpoint(whoami, Settings(identity=identity))
    good = {**JSON, "authorization": f"Bearer {token(email='ada@example.com')}"}
    assert b"you are ada@example.com." in send(application, headers=good).body
    assert send(application, headers={**JSON, "authorization": "Bearer a.b.c"}).status == 401


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"keys": []}'])
def test_a_file_without_keys_is_an_error(tmp_path: Path, content: bytes) -> None:
    whole = settings(tmp_path / "jwks.json")
    (tmp_path / "jwks.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"jwks_file: .*jwks\.json holds no key set"):
        Tokens(whole)


class Issuer(ThreadingHTTPServer):
    """Serves a key set and counts how often."""

    content = b""
    asked = 0
    daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/jwks.json"


class Keys(BaseHTTPRequestHandler):
    """Answers with what the issuer has."""

    server: Issuer

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(200 if self.server.content else 500)
        self.send_header("content-length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(content: bytes) -> Iterator[Issuer]:
    with Issuer(("127.0.0.1", 0), Keys) as issuer:
        issuer.content = content
        thread = Thread(target=issuer.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield issuer
        finally:
            issuer.shutdown()
            thread.join()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_keys_of_a_url_are_fetched_once_and_again_when_one_is_missing() -> None:
    with serving(jwks(k1=KEY)) as issuer:
        clock = Clock()
        keys = KeySet(Jwt(issuer=ISSUER, audience=AUDIENCE, jwks_url=issuer.url), clock)

        async def scenario() -> None:
            assert await asyncio.gather(*(keys.find("k1") for _ in range(5))) != [None] * 5
            assert issuer.asked == 1
            assert await keys.find("k2") is None
            assert issuer.asked == 1
            issuer.content = jwks(k2=OTHER)
            clock.now += PAUSE + 1
            assert await keys.find("k2") is not None
            assert (issuer.asked, await keys.find("k1")) == (2, None)
            issuer.content = b""
            clock.now += 301
            assert await keys.find("k2") is not None
            assert issuer.asked == 3

        asyncio.run(scenario())


def test_without_any_key_the_issuer_is_to_blame() -> None:
    with serving(b"") as issuer:
        clock = Clock()
        keys = KeySet(Jwt(issuer=ISSUER, audience=AUDIENCE, jwks_url=issuer.url), clock)

        async def scenario() -> None:
            for _ in range(2):
                with pytest.raises(RefusedError) as caught:
                    await keys.find("k1")
                assert caught.value.status == 503
            assert issuer.asked == 1
            issuer.content = jwks(k1=KEY)
            clock.now += RETRY * 2
            assert await keys.find("k1") is not None

        asyncio.run(scenario())


@pytest.mark.parametrize(
    "wrong",
    [
        {"jwks_file": "a", "jwks_url": "b"},
        {},
        {"jwks_file": "a", "algorithms": ("HS256",)},
        {"jwks_file": "a", "algorithms": ()},
        {"jwks_file": "a", "issuer": ""},
        {"jwks_file": "a", "leeway": -1.0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Jwt(**{"issuer": ISSUER, "audience": AUDIENCE, **wrong})
