"""LLM providers: `openai`, `anthropic`, `openrouter`, `ollama` and what is compatible with them."""

try:
    import aiohttp  # noqa: F401 - told here, where it is understood
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "providers need aiohttp: install agui-gateway[llm]", name=missing.name
    ) from None

from gateway.llm.providers.catalog import (
    PROVIDERS,
    anthropic,
    compatible,
    ollama,
    openai,
    openrouter,
)
from gateway.llm.providers.dialect import DIALECTS, Dialect
from gateway.llm.providers.http_provider import HttpProvider, Timeouts

__all__ = [
    "DIALECTS",
    "PROVIDERS",
    "Dialect",
    "HttpProvider",
    "Timeouts",
    "anthropic",
    "compatible",
    "ollama",
    "openai",
    "openrouter",
]
