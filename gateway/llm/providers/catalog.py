"""The providers there are, each with the defaults of its API."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from gateway.llm.providers.anthropic_decoder import AnthropicDecoder
from gateway.llm.providers.anthropic_request import anthropic_body
from gateway.llm.providers.chat_decoder import ChatDecoder
from gateway.llm.providers.chat_request import chat_body
from gateway.llm.providers.dialect import COMPATIBLE, OPENAI, OPENROUTER, Dialect
from gateway.llm.providers.http_provider import Api, HttpProvider
from gateway.llm.providers.ollama_decoder import OllamaDecoder
from gateway.llm.providers.ollama_request import ollama_body
from gateway.llm.providers.responses_decoder import ResponsesDecoder
from gateway.llm.providers.responses_request import responses_body

ANTHROPIC_VERSION = "2023-06-01"
ANTHROPIC_MAX_TOKENS = 8192
"""The output limit where the settings have none; Anthropic demands one."""


def openai(
    *,
    model: str,
    api_key: str,
    base_url: str = "https://api.openai.com/v1",
    mode: Literal["chat", "responses"] = "chat",
    **options: Any,
) -> HttpProvider:
    """OpenAI by chat completions, or by the Responses API, where reasoning models keep reasoning.

    `options` are those of `HttpProvider`: timeouts, retry, connections, session.
    """
    if mode == "chat":
        return compatible(
            base_url=base_url, model=model, api_key=api_key, dialect=OPENAI, **options
        )
    api = Api(
        name="openai",
        url=f"{_trim(base_url)}/responses",
        build=partial(_responses, "openai"),
        decoder=ResponsesDecoder,
        headers=_headers(_bearer(api_key)),
        secret=api_key,
    )
    return HttpProvider(api, model=model, **options)


def compatible(
    *,
    base_url: str,
    model: str,
    api_key: str = "",
    dialect: Dialect = COMPATIBLE,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> HttpProvider:
    """Any server that speaks chat completions at `{base_url}/chat/completions`.

    `dialect` says how it differs (`gateway.llm.providers.dialect`); no key, no Authorization.
    """
    api = Api(
        name=dialect.name,
        url=f"{_trim(base_url)}/chat/completions",
        build=partial(_chat, dialect),
        decoder=ChatDecoder,
        headers=_headers({**_bearer(api_key), **(headers or {})}),
        secret=api_key,
    )
    return HttpProvider(api, model=model, **options)


def openrouter(
    *,
    model: str,
    api_key: str,
    base_url: str = "https://openrouter.ai/api/v1",
    referer: str = "",
    title: str = "",
    **options: Any,
) -> HttpProvider:
    """OpenRouter; `referer` and `title` name the application in its statistics."""
    headers = {"HTTP-Referer": referer} if referer else {}
    headers |= {"X-Title": title} if title else {}
    return compatible(
        base_url=base_url,
        model=model,
        api_key=api_key,
        dialect=OPENROUTER,
        headers=headers,
        **options,
    )


def anthropic(
    *,
    model: str,
    api_key: str,
    base_url: str = "https://api.anthropic.com",
    max_tokens: int = ANTHROPIC_MAX_TOKENS,
    beta: str = "",
    **options: Any,
) -> HttpProvider:
    """Anthropic messages; `beta` is the value of `anthropic-beta`."""
    headers = {"x-api-key": api_key, "anthropic-version": ANTHROPIC_VERSION}
    headers |= {"anthropic-beta": beta} if beta else {}
    api = Api(
        name="anthropic",
        url=f"{_trim(base_url)}/v1/messages",
        build=lambda request, name: anthropic_body(request, name, "anthropic", max_tokens),
        decoder=AnthropicDecoder,
        headers=_headers(headers),
        secret=api_key,
    )
    return HttpProvider(api, model=model, **options)


def ollama(
    *, model: str, base_url: str = "http://127.0.0.1:11434", api_key: str = "", **options: Any
) -> HttpProvider:
    """Ollama by its own API; a key only for the hosted one."""
    api = Api(
        name="ollama",
        url=f"{_trim(base_url)}/api/chat",
        build=partial(_ollama, "ollama"),
        decoder=OllamaDecoder,
        headers=_headers(_bearer(api_key)),
        secret=api_key,
        lines=True,
    )
    return HttpProvider(api, model=model, **options)


PROVIDERS: dict[str, Callable[..., HttpProvider]] = {
    "openai": openai,
    "openai-responses": partial(openai, mode="responses"),
    "anthropic": anthropic,
    "openrouter": openrouter,
    "ollama": ollama,
    "openai-compatible": compatible,
}
"""The constructors by the name that configuration gives them."""


def _chat(dialect: Dialect, request: Any, model: str) -> dict[str, Any]:
    return chat_body(request, model, dialect)


def _responses(provider: str, request: Any, model: str) -> dict[str, Any]:
    return responses_body(request, model, provider)


def _ollama(provider: str, request: Any, model: str) -> dict[str, Any]:
    return ollama_body(request, model, provider)


def _trim(base_url: str) -> str:
    if not base_url.startswith(("http://", "https://")):
        raise ValueError(f"base_url: expected http:// or https://, found {base_url!r:.80}")
    return base_url.rstrip("/")


def _bearer(api_key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    """What every request carries: no compression, which would delay small pieces."""
    return {
        "Content-Type": "application/json",
        "Accept": "text/event-stream, application/x-ndjson, application/json",
        "Accept-Encoding": "identity",
        **headers,
    }
