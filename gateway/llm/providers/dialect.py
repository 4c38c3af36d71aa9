"""How servers differ that speak chat completions; flags, where other designs have subclasses."""

from typing import Literal

from msgspec import Struct


class Dialect(Struct, frozen=True, kw_only=True):
    """One server's way to speak chat completions. The defaults suit most compatible servers.

    `system_role` is the role of the system slot; `max_tokens` and `seed` are the members of these
    settings. `stream_usage` asks for usage by `stream_options`, `usage_member` in OpenRouter's way.
    `reasoning` is the member of the effort. `required` is the word for a forced tool choice, None
    if the server takes no choice at all. `call_ids` is the pattern of ids that it takes. `replays`
    names the opaque members that it wants back. `user_after_tool` is false where an assistant turn
    must come between.
    """

    name: str
    system_role: Literal["system", "developer"] = "system"
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: Literal["seed", "random_seed"] = "seed"
    stream_usage: bool = True
    usage_member: bool = False
    reasoning: Literal["reasoning_effort", "reasoning"] = "reasoning_effort"
    required: str | None = "required"
    call_ids: str = r".+"
    call_id_length: int = 32
    replays: tuple[str, ...] = ("reasoning_details", "extra_content")
    user_after_tool: bool = True
    video: bool = False


COMPATIBLE = Dialect(name="openai-compatible")
OPENAI = Dialect(
    name="openai", system_role="developer", max_tokens="max_completion_tokens", call_ids=r".{1,40}"
)
OPENROUTER = Dialect(
    name="openrouter", stream_usage=False, usage_member=True, reasoning="reasoning", video=True
)
DEEPSEEK = Dialect(name="deepseek", replays=("reasoning_content",))
GROQ = Dialect(name="groq", max_tokens="max_completion_tokens")
MISTRAL = Dialect(
    name="mistral",
    seed="random_seed",
    stream_usage=False,
    required="any",
    call_ids=r"[A-Za-z0-9]{9}",
    call_id_length=9,
    replays=("thinking",),
    user_after_tool=False,
)
AZURE = Dialect(name="azure", max_tokens="max_completion_tokens", call_ids=r".{1,40}")
LLAMACPP = Dialect(name="llamacpp", replays=("reasoning_content",))
OLLAMA_COMPATIBLE = Dialect(name="ollama", required=None)

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        COMPATIBLE,
        OPENAI,
        OPENROUTER,
        DEEPSEEK,
        GROQ,
        MISTRAL,
        AZURE,
        LLAMACPP,
        OLLAMA_COMPATIBLE,
    )
}
"""The dialects that configuration may name."""
