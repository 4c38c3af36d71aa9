"""Secrets that stand in a text by accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.server.mask import MASK, credentials, mask

SECRET = "s3cr3t-Pl4nted.value_0123456789"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {SECRET}",
        f"authorization={SECRET}",
        f"{{'authorization': 'Bearer {SECRET}', 'a': 1}}",
        f'{{"x-api-key": "{SECRET}"}}',
        f"(b'x-api-key', b'{SECRET}')",
        f"api_key={SECRET}&x=1",
        f"OPENAI_API_KEY={SECRET}",
        f"client_secret: {SECRET}",
        f"password='{SECRET}'",
        f"access_token={SECRET}",
        f"Basic {SECRET}",
        f"https://user:{SECRET}@host/path",
        f"no key sk-{SECRET.replace('.', '')} here",
        f"ghp_{SECRET.replace('.', '')}",
        f"eyJhbGciOiJI.{SECRET.replace('.', '')}.{SECRET.replace('.', '')}",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    masked = mask(text)
    assert SECRET not in masked
    assert SECRET.replace(".", "") not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    "text",
    [
        "run ended: result=success events=12 bytes=900 seconds=0.01",
        "the client left",
        "input_tokens: 12, output_tokens: 9",
        "max_tokens=4096",
        "http://127.0.0.1:8000/agents/echo",
        "no text message 'm' is open",
    ],
)
def test_what_does_not_stays(text: str) -> None:
    assert mask(text) == text


@given(st.text())
def test_credentials_of_the_request_are_masked_wherever_they_are(around: str) -> None:
    headers = {"authorization": f"Bearer {SECRET}", "cookie": "sid=abcdef123456; theme=dark"}
    secrets = credentials(headers)
    masked = mask(f"{around}{SECRET}{around}abcdef123456{around}", secrets)
    assert SECRET not in masked
    assert "abcdef123456" not in masked


def test_short_values_are_no_credentials() -> None:
    assert credentials({"authorization": "x", "content-type": "application/json"}) == ()
